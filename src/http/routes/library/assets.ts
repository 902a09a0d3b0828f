import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { badRequest } from '../../../errors.ts';
import type { Assets } from '../../../library/assets.ts';
import { parsePath, quote, type StoragePath } from '../../../path.ts';
import { wholeNumber } from '../../bodies/query-forms.ts';
import { defineEndpoint, type Endpoint, type RouteContext } from '../../endpoints/endpoint.ts';
import { changedFields } from '../../observe/audit-trail.ts';
import { rawPath, requirePath } from '../../transport/raw-path.ts';
import { type AssetJson, asset, assetJson, wordsBody, wordsOf } from './asset-json.ts';
import { searchOf, searchQuery } from './asset-query.ts';

const count = z.number().int().min(0);
const counts = z.record(z.string(), count);

const page = z.object({
  assets: z.array(asset),
  total: count.describe('Number of results, counted up to 10,000.'),
  isTotalExact: z.boolean(),
  nextCursor: z.string().nullable().describe('The cursor of the next page; null on the last one.'),
  facets: z
    .object({ kind: counts, tag: counts, type: counts })
    .partial()
    .optional()
    .describe('Counts of each requested facet: kind, tag, MIME type.'),
});

const duplicates = z.object({
  groups: z.array(
    z.object({
      assets: z.array(asset).describe('The first hundred.'),
      wastedBytes: count.describe('Bytes of all but one of the files.'),
    }),
  ),
  nextCursor: z.string().nullable().describe('The cursor of the next page; null on the last one.'),
});

const duplicatesQuery = z.object({
  kind: z
    .enum(['exact', 'similar'])
    .optional()
    .describe('Equal bytes, or images that look the same.')
    .meta({ examples: ['exact'] }),
  limit: wholeNumber(1, 100).default(20).describe('Number of groups.'),
  cursor: z.string().max(200).optional().describe('The nextCursor of the previous page.'),
});

const tag = 'Assets';

/** `/assets`: metadata and search of originals. */
export function assetRoutes({ services: { assets } }: RouteContext): readonly Endpoint[] {
  return [...searchEndpoints(assets), ...assetEndpoints(assets)];
}

function searchEndpoints(assets: Assets): readonly Endpoint[] {
  const search = defineEndpoint('GET /assets', {
    access: 'read',
    openapi: {
      id: 'listAssets',
      tag,
      summary: 'Finds files in the whole library.',
      description: 'A parameter `field.<name>` filters by the value of a custom field.',
      errors: [503],
    },
    schemas: { query: searchQuery, response: { 200: page } },
    async handle({ query }) {
      const found = await assets.search(searchOf(query));
      return { ...found, assets: found.assets.map((one) => assetJson(one)) };
    },
  });
  // A file of the root may have this name.
  const findDuplicates = defineEndpoint('GET /assets/duplicates', {
    access: 'read',
    openapi: {
      id: 'listDuplicates',
      tag,
      summary: 'Finds files with equal bytes, or images that look the same.',
      description: 'Without `kind`, returns the record of a file with that name.',
      errors: [404, 503],
    },
    schemas: { query: duplicatesQuery, response: { 200: duplicates } },
    async handle({ query: { kind, limit, cursor } }, reply) {
      if (kind === undefined) return reply.code(200).send((await readAsset(assets, parsePath('duplicates'))) as never);
      const { groups, next = null } = await assets.duplicates(kind, limit, cursor);
      return {
        groups: groups.map((group) => ({ ...group, assets: group.assets.map((one) => assetJson(one)) })),
        nextCursor: next,
      };
    },
  });
  return [search, findDuplicates];
}

function assetEndpoints(assets: Assets): readonly Endpoint[] {
  const get = defineEndpoint('GET /assets/*', {
    access: 'read',
    openapi: { id: 'getAsset', tag, summary: 'Returns the metadata of a file.', errors: [404, 503] },
    schemas: { response: { 200: asset } },
    handle: (request) => readAsset(assets, requirePath(rawPath(request))),
  });
  const update = defineEndpoint('PATCH /assets/*', {
    access: 'manage',
    coversEndpoints: true,
    audit: 'file.changed',
    outcome: (request, { path }) => ({ target: path, detail: { changed: changedFields(request.body) } }),
    openapi: {
      id: 'updateAsset',
      tag,
      summary: 'Changes the metadata of a file.',
      errors: [404, 412, 503],
      description: 'With `If-Match: "<revision>"`, only if the metadata have not changed since.',
    },
    schemas: { body: wordsBody, response: { 200: asset } },
    async handle(request) {
      const path = requirePath(rawPath(request));
      await assets.update(path, wordsOf(request.body), requestedRevisions(request));
      return readAsset(assets, path);
    },
  });
  return [get, update];
}

async function readAsset(assets: Assets, path: StoragePath): Promise<AssetJson> {
  const [found, { size, fileCount }] = await Promise.all([assets.find(path), assets.variantsOf(path)]);
  return assetJson(found, { count: fileCount, size });
}

/** Revisions of `If-Match`; undefined for any. @throws HttpProblem 400 */
function requestedRevisions({ headers }: FastifyRequest): number[] | undefined {
  const header = headers['if-match']?.trim();
  if (header === undefined || header === '*') return undefined;
  const tags = header.split(',').map((one) => one.trim());
  if (!tags.every((one) => /^"\d{1,15}"$/.test(one))) {
    const message = `In "If-Match": expected a revision in quotes, such as "3", received ${quote(header)}.`;
    throw badRequest(message, 'validation_failed');
  }
  return tags.map((one) => Number(one.slice(1, -1)));
}
