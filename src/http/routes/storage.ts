import type { FastifyInstance, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { badRequest, notFound } from '../../errors.ts';
import { ORDERS, SORTS } from '../../library/listing-order.ts';
import type { MediaKind } from '../../media.ts';
import { parsePath, quote } from '../../path.ts';
import type { Services } from '../../services.ts';
import { withSchemas } from '../bodies.ts';
import { requirePermission } from '../guards.ts';
import { rawPath, requirePath } from '../raw-path.ts';

const MEDIA_KINDS = ['image', 'video', 'audio', 'model', 'document'] as const satisfies readonly MediaKind[];

const positiveInteger = z
  .string()
  .refine((text) => /^[1-9]\d{0,8}$/.test(text), {
    error: ({ input }) => `expected a whole number of at least 1, received ${JSON.stringify(input)}`,
  })
  .transform(Number);

const listingQuery = z.object({
  path: z.string().default(''),
  limit: positiveInteger.optional(),
  cursor: z.string().optional(),
  sort: z.enum(SORTS).default('name'),
  order: z.enum(ORDERS).default('asc'),
  search: z.string().optional(),
});

const listing = z.object({
  path: z.string(),
  folders: z.array(z.object({ name: z.string(), path: z.string() })),
  files: z.array(
    z.object({
      name: z.string(),
      path: z.string(),
      size: z.number(),
      mtime: z.iso.datetime(),
      type: z.enum(MEDIA_KINDS),
    }),
  ),
  nextCursor: z.string().nullable(),
});

const metadata = z.object({ size: z.number(), createdAt: z.iso.datetime(), updatedAt: z.iso.datetime() });
const moved = z.object({ success: z.boolean(), path: z.string() });
const deleted = z.object({
  success: z.boolean(),
  message: z.string(),
  details: z.object({
    jobsDeleted: z.number(),
    localCacheFilesDeleted: z.number(),
    cloudCacheFilesDeleted: z.number(),
    errors: z.array(z.string()),
  }),
});

const renameBody = z.object({ name: z.string() });
const destinationBody = z.object({ destination: z.string().optional() }).nullish();
const deleteQuery = z.object({ recursive: z.enum(['true', 'false']).default('false') });

/** A folder may have the name of an endpoint; what is done to folders has to reach it all the same. */
const SHADOWED = ['folders', 'folder-summaries', 'stats', 'stats/recalculate', 'cache/clear'];

/** `GET /storage` and `/storage/{path}`: browsing, metadata, rename, move, copy, delete. */
export function storageRoutes(app: FastifyInstance, services: Services): void {
  const read = { onRequest: requirePermission(services, 'read') };
  const manage = { onRequest: requirePermission(services, 'manage') };
  app.register(async (plain) => {
    const scope = withSchemas(plain);
    scope.get('/storage', { ...read, schema: { querystring: listingQuery, response: { 200: listing } } }, (request) => {
      const { path, ...query } = request.query;
      return services.listing.list({ path: parsePath(path), ...query });
    });
    scope.get('/storage/*', { ...read, schema: { response: { 200: metadata } } }, (request) =>
      readMetadata(request, services),
    );
    scope.post('/storage/*', { ...manage, schema: { body: destinationBody, response: { 200: moved } } }, (request) =>
      moveOrCopy(request, request.body?.destination, services),
    );
    for (const url of ['/storage/*', ...SHADOWED.map((name) => `/storage/${name}`)]) {
      scope.patch(url, { ...manage, schema: { body: renameBody, response: { 200: moved } } }, async (request) => {
        const path = await services.library.rename(requirePath(rawPath(request)), request.body.name);
        return { success: true, path };
      });
      scope.delete(url, { ...manage, schema: { querystring: deleteQuery, response: { 200: deleted } } }, (request) =>
        remove(request, request.query.recursive === 'true', services),
      );
    }
  });
}

/** Splits the word off that follows a path: a file may have that name too, so only the last one counts. */
function splitAction(request: FastifyRequest, actions: readonly string[]): { raw: string; action: string } {
  const raw = rawPath(request);
  const slash = raw.lastIndexOf('/');
  const action = raw.slice(slash + 1);
  if (!actions.includes(action)) {
    throw notFound(`There is no endpoint ${request.method} /storage/${raw}.`, 'Unknown endpoint');
  }
  return { raw: raw.slice(0, Math.max(0, slash)), action };
}

async function readMetadata(request: FastifyRequest, { originals }: Services) {
  const path = requirePath(splitAction(request, ['metadata']).raw);
  const stat = await originals.check(path);
  if (stat) {
    return { size: stat.size, createdAt: stat.createdAt.toISOString(), updatedAt: stat.modifiedAt.toISOString() };
  }
  if (await originals.store.folderExists(path)) throw badRequest(`Expected a file, but ${quote(path)} is a folder.`);
  throw notFound(`There is no file ${quote(path)}.`);
}

async function moveOrCopy(request: FastifyRequest, destination: string | undefined, { library }: Services) {
  const { raw, action } = splitAction(request, ['move', 'copy']);
  const path = requirePath(raw);
  if (action === 'move') return { success: true, path: await library.move(path, parsePath(destination ?? '')) };
  return { success: true, path: await library.copy(path, destination ? parsePath(destination) : undefined) };
}

async function remove(request: FastifyRequest, recursive: boolean, { library }: Services) {
  const path = requirePath(rawPath(request));
  const details = await library.remove(path, { recursive });
  return { success: true, message: `Deleted ${quote(path)} and its cached variants.`, details };
}
