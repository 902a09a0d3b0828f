import { z } from 'zod';
import { MEDIA_KINDS } from '../../../media.ts';
import { parsePath } from '../../../path.ts';
import { defineEndpoint, type Endpoint, type RouteContext } from '../../endpoints/endpoint.ts';

const count = z.number().int().min(0);
const total = z.object({ size: count.describe('Bytes.'), fileCount: count });
const purges = z.object({
  waiting: count.describe('Purges that the CDN has not received yet.'),
  failed: count.describe('Abandoned purges; the next start retries them.'),
  oldestAt: z.iso.datetime().nullable().describe('Time of the oldest pending purge.'),
  lastError: z.string().nullable(),
});
const stats = z
  .object({
    storage: total,
    cache: total,
    updatedAt: z.iso.datetime(),
    purges: purges.optional().describe('Only with a CDN (`CDN_PURGE_URL`).'),
  })
  .meta({ id: 'StorageStats' });
const cleared = z.object({
  success: z.boolean(),
  message: z.string(),
  details: z.object({ localCacheFilesDeleted: count, cloudCacheFilesDeleted: count }),
});

const usageQuery = z.object({ path: z.string().default('').describe('A folder; by default the root.') });
const usageBelow = z.object({
  folders: z.array(total.extend({ path: z.string() })).describe('Including everything below them.'),
  kinds: z.partialRecord(z.enum(MEDIA_KINDS), total).describe('Everything below the folder.'),
  updatedAt: z.iso.datetime(),
});

const tag = 'Storage';

/** Storage and cache usage, and clearing the cache. */
export function statsRoutes({ services }: RouteContext): readonly Endpoint[] {
  const read = defineEndpoint('GET /storage/stats', {
    access: 'read',
    openapi: { id: 'getStorageStats', tag, summary: 'Storage and cache usage.' },
    schemas: { response: { 200: stats } },
    handle: () => services.stats.read(),
  });
  const recalculate = defineEndpoint('POST /storage/stats/recalculate', {
    access: 'manage',
    openapi: { id: 'recalculateStorageStats', tag, summary: 'Recalculates storage usage.' },
    schemas: { response: { 200: stats } },
    handle: () => services.stats.recalculate(),
  });
  const clear = defineEndpoint('POST /storage/cache/clear', {
    access: 'manage',
    audit: 'cache.cleared',
    openapi: { id: 'clearCache', tag, summary: 'Clears all cached variants.', errors: [503] },
    schemas: { response: { 200: cleared } },
    async handle() {
      const details = await services.library.clearVariants();
      return { success: true, message: 'Cleared all cached variants.', details };
    },
  });
  const usage = defineEndpoint('GET /storage/usage', {
    access: 'read',
    openapi: {
      id: 'getUsage',
      tag,
      summary: 'Usage of each subfolder and kind.',
      errors: [503],
    },
    schemas: { query: usageQuery, response: { 200: usageBelow } },
    async handle({ query: { path } }) {
      const { folders, kinds } = await services.stats.below(parsePath(path));
      return { folders, kinds, updatedAt: new Date().toISOString() };
    },
  });
  return [read, recalculate, clear, usage];
}
