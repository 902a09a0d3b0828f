import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { ROOT } from '../../path.ts';
import type { Services } from '../../services.ts';
import { requirePermission } from '../admission/guards.ts';
import { withSchemas } from '../bodies/bodies.ts';

const count = z.number().int().min(0);
const total = z.object({ size: count.describe('Bytes.'), fileCount: count });
const stats = z.object({ storage: total, cache: total, updatedAt: z.iso.datetime() }).meta({ id: 'StorageStats' });
const cleared = z.object({
  success: z.boolean(),
  message: z.string(),
  details: z.object({ localCacheFilesDeleted: count, cloudCacheFilesDeleted: count }),
});

/** How much is stored and cached, and emptying the cache. */
export function statsRoutes(app: FastifyInstance, services: Services): void {
  const read = { onRequest: requirePermission(services, 'read') };
  const manage = { onRequest: requirePermission(services, 'manage') };
  app.register(async (plain) => {
    const scope = withSchemas(plain);
    scope.get('/storage/stats', { ...read, schema: { response: { 200: stats } } }, () => services.stats.read());
    scope.post('/storage/stats/recalculate', { ...manage, schema: { response: { 200: stats } } }, () =>
      services.stats.recalculate(),
    );
    scope.post('/storage/cache/clear', { ...manage, schema: { response: { 200: cleared } } }, async () => {
      const [localCacheFilesDeleted, cloudCacheFilesDeleted] = await Promise.all([
        services.variants.clear(),
        services.variants.forgetShared(ROOT),
      ]);
      const details = { localCacheFilesDeleted, cloudCacheFilesDeleted };
      return { success: true, message: 'Cleared all cached variants.', details };
    });
  });
}
