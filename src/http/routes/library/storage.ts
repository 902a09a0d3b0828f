import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { badRequest } from '../../../errors.ts';
import type { ListingRequest } from '../../../library/listing.ts';
import { ORDERS, SORTS } from '../../../library/listing-order.ts';
import type { Services } from '../../../library-services.ts';
import { MEDIA_KINDS } from '../../../media.ts';
import { parseNewPath, parsePath, quote, type StoragePath } from '../../../path.ts';
import { isTaken } from '../../../storage/blob-store.ts';
import { searchedPath, wholeNumber, yesOrNo } from '../../bodies/query-forms.ts';
import { defineEndpoint, type Endpoint, type Outcome, type RouteContext } from '../../endpoints/endpoint.ts';
import { evaluatePreconditions } from '../../transport/conditional.ts';
import { rawPath, requirePath } from '../../transport/raw-path.ts';
import { leavingSignal } from '../../transport/send.ts';
import { conditionsQuery, listingConditions, searchedTerms } from './asset-query.ts';
import { metadata, metadataQuery, readDetail, readMetadata } from './metadata.ts';
import {
  isVersionPath,
  listVersions,
  removeVersion,
  replaced,
  replaceEndpoint,
  restoreVersion,
  sendVersion,
  versionDocs,
  versionIn,
  versionList,
  versionRemoved,
} from './versions.ts';

/** Default page size of a recursive listing: unlike a folder, a library can be of any size. */
const RECURSIVE_LIMIT = 1000;

const listingQuery = z.object({
  path: z.string().default('').describe('The folder; by default the root.'),
  limit: wholeNumber(1)
    .optional()
    .describe(`Maximum number of folders and files. Default: all of one level, or ${RECURSIVE_LIMIT} with recursive.`),
  cursor: z.string().optional().describe('The nextCursor of the previous page.'),
  sort: z.enum(SORTS).default('name').describe('kind: by format. dimensions: by pixels; files without any last.'),
  order: z.enum(ORDERS).default('asc'),
  search: searchedPath
    .optional()
    .describe(
      'Words that must all occur in the name, or with recursive in the path below the folder; parts of words too.',
    ),
  kind: z.enum(MEDIA_KINDS).optional().describe('Only files of this kind; folders of one level are still listed.'),
  recursive: yesOrNo()
    .default(false)
    .describe('All files below the folder; folders only with a search and without other conditions.'),
  q: searchedTerms,
  ...conditionsQuery,
  offset: wholeNumber(0).optional().describe('Number of entries to skip; instead of a cursor.'),
});

const count = z.number().int().min(0);
const bytes = count.describe('Bytes.');

const pixels = z.number().int().nullable();

const folder = z.object({ name: z.string(), path: z.string() }).meta({ id: 'StoredFolder' });
/** Response schema of a listed file. */
export const listedFile = z
  .object({
    name: z.string(),
    path: z.string(),
    size: bytes,
    mtime: z.iso.datetime().describe('Time of the last change.'),
    type: z.enum(MEDIA_KINDS),
    width: pixels.describe('Of the upright image; null if unknown.'),
    height: pixels,
    duration: z.number().nullable().describe('Seconds.'),
    placeholder: z.string().nullable().describe('A ThumbHash in base64.'),
    problem: z.string().nullable().describe('Why the content cannot be decoded; null if it can, or is unknown.'),
    tags: z.array(z.string()),
    alt: z.string().nullable(),
  })
  .meta({ id: 'StoredFile' });

const listing = z.object({
  path: z.string(),
  folders: z.array(folder),
  files: z.array(listedFile),
  nextCursor: z.string().nullable().describe('The cursor of the next page; null on the last one.'),
  total: count.describe('Folders and files of all pages.'),
  version: z.string().nullable().describe('Changes when the listing may have changed; null while unknown.'),
});

const moved = z.object({ success: z.boolean(), path: z.string() });
const deleted = z.object({
  success: z.boolean(),
  message: z.string(),
  details: z.object({
    jobsDeleted: count,
    localCacheFilesDeleted: count,
    cloudCacheFilesDeleted: count,
    errors: z.array(z.string()),
  }),
});

const redirect = z.boolean().optional().describe('Keeps the previous URL working, by a redirect.');
const renameBody = z.object({ name: z.string().describe('The new name, without a slash.'), redirect });
// A misspelt destination would be the root, whose files may be public.
const destinationBody = z
  .strictObject({
    destination: z.string().optional().describe('A folder.'),
    redirect: redirect.describe('For move: keeps the previous URL working, by a redirect.'),
  })
  .nullish();
type DestinationBody = z.output<typeof destinationBody>;
const deleteQuery = z.object({
  recursive: yesOrNo().default(false).describe('Deletes folders too, with everything in them.'),
  trash: yesOrNo().default(false).describe('Moves to the trash, from which items can be restored.'),
});

const tag = 'Storage';
/** Folders with the name of an endpoint stay reachable. */
const change = { access: 'manage', coversEndpoints: true } as const;
const CHANGE_ERRORS = [404, 409];

/** `GET /storage` and `/storage/{path}`: browsing, metadata, versions, rename, move, copy, replace, delete. */
export function storageRoutes(context: RouteContext): readonly Endpoint[] {
  const { services } = context;
  return [...readEndpoints(context), ...changeEndpoints(services), replaceEndpoint(context)];
}

function readEndpoints(context: RouteContext): readonly Endpoint[] {
  const { services } = context;
  const list = defineEndpoint('GET /storage', {
    access: 'read',
    openapi: {
      id: 'listFolder',
      tag,
      summary: 'Lists a folder.',
      errors: [503],
      statuses: [200, 304],
      description: 'With `If-None-Match`, an unchanged listing is 304.',
    },
    schemas: { query: listingQuery, response: { 200: listing } },
    handle: (request, reply) => listFolder(request, reply, services),
  });
  const errors = [404];
  const look = defineEndpoint('GET /storage/*', {
    access: 'read',
    answersAt: (raw) => /(?:^|\/)(?:metadata|versions)$/.test(raw) || isVersionPath(raw),
    openapi: [
      {
        id: 'getFileMetadata',
        tag,
        summary: 'Size and times of a file.',
        answer: metadata,
        path: '/storage/{path}/metadata',
        errors: [...errors, 503],
      },
      versionDocs.list,
      versionDocs.download,
    ],
    schemas: { query: metadataQuery, response: { 200: z.union([metadata, versionList]) } },
    handle: (request, reply) => statFile(request, reply, context),
  });
  return [list, look];
}

function changeEndpoints(services: Services): readonly Endpoint[] {
  const errors = CHANGE_ERRORS;
  const moveAndCopy = defineEndpoint('POST /storage/*', {
    access: 'manage',
    audit: 'file.moved',
    outcome: (request, { path }) => relocated(request, path, request.body?.redirect),
    answersAt: (raw) =>
      /(?:^|\/)(?:move|copy)$/.test(raw) || (raw.endsWith(RESTORE) && isVersionPath(withoutRestore(raw))),
    openapi: [
      {
        id: 'moveFile',
        tag,
        summary: 'Moves a file or folder.',
        path: '/storage/{path}/move',
        errors: [...errors, 507],
      },
      { id: 'copyFile', tag, summary: 'Copies a file.', path: '/storage/{path}/copy', errors: [...errors, 503, 507] },
      versionDocs.restore,
    ],
    schemas: { body: destinationBody, response: { 200: z.union([moved, replaced]) } },
    handle: (request) => moveCopyOrRestore(request, request.body, services),
  });
  const rename = defineEndpoint('PATCH /storage/*', {
    ...change,
    audit: 'file.moved',
    outcome: (request, { path }) => ({
      target: requirePath(rawPath(request)),
      detail: { to: path, redirect: request.body.redirect },
    }),
    openapi: { id: 'renameFile', tag, summary: 'Renames a file or folder.', errors },
    schemas: { body: renameBody, response: { 200: moved } },
    async handle(request) {
      const { name, redirect: isRedirected } = request.body;
      const path = await services.library.rename(requirePath(rawPath(request)), name, { isRedirected });
      return { success: true, path };
    },
  });
  const remove = defineEndpoint('DELETE /storage/*', {
    ...change,
    audit: 'file.deleted',
    outcome: (request, answer) => removedBy(request, 'details' in answer, request.query.trash),
    openapi: [
      {
        id: 'deleteFile',
        tag,
        summary: 'Deletes a file, or a folder with recursive=true.',
        errors,
        path: '/storage/{path}',
        answer: deleted,
      },
      versionDocs.remove,
    ],
    schemas: { query: deleteQuery, response: { 200: z.union([deleted, versionRemoved]) } },
    handle: (request) => removeFileOrVersion(request, request.query, services),
  });
  return [moveAndCopy, rename, remove];
}

async function listFolder(
  { query: { path: pathText, ...query }, raw }: FastifyRequest<{ Querystring: z.output<typeof listingQuery> }>,
  reply: FastifyReply,
  { listing: lists }: Services,
) {
  const path = parsePath(pathText);
  if (query.cursor !== undefined && query.offset !== undefined)
    throw badRequest('In "offset": expected either "offset" or "cursor", received both.', 'validation_failed');
  // Read before the rows: later changes yield another version next time.
  const request = listingOf(path, query);
  const version = await lists.version(path, request);
  if (version !== undefined) {
    const etag = `"${version}"`;
    reply.header('ETag', etag);
    reply.header('Cache-Control', 'private, no-cache');
    if (evaluatePreconditions(raw, { etag, modifiedAt: undefined }) === 'not modified') {
      return reply.code(304).send();
    }
  }
  return { ...(await lists.list(request)), version: version ?? null };
}

function listingOf(path: StoragePath, query: Omit<z.output<typeof listingQuery>, 'path'>): ListingRequest {
  const { cursor, offset, sort, order, search, kind, recursive } = query;
  return {
    path,
    limit: query.limit ?? (recursive ? RECURSIVE_LIMIT : undefined),
    cursor,
    offset,
    sort,
    order,
    search,
    kind,
    recursive,
    conditions: listingConditions(query),
  };
}

/** Splits off the action after a path. A file may have the same name, so only the last segment counts. */
function splitAction(raw: string): { raw: string; action: string } {
  const slash = raw.lastIndexOf('/');
  return { raw: raw.slice(0, Math.max(0, slash)), action: raw.slice(slash + 1) };
}

const RESTORE = '/restore';
const withoutRestore = (raw: string) => raw.slice(0, -RESTORE.length);

/** Actions after a path. A folder may be called `versions`, so an id is recognised by its format. */
async function statFile(request: FastifyRequest, reply: FastifyReply, context: RouteContext) {
  const { services } = context;
  const version = versionIn(rawPath(request));
  if (version) return sendVersion(request, reply, version, context);
  const { raw, action } = splitAction(rawPath(request));
  const path = requirePath(raw);
  if (action === 'versions') return listVersions(path, services);
  const { detail } = request.query as z.output<typeof metadataQuery>;
  return detail ? readDetail(path, services, leavingSignal(reply.raw)) : readMetadata(path, services);
}

async function moveCopyOrRestore(request: FastifyRequest, body: DestinationBody, services: Services) {
  const whole = rawPath(request);
  const version = whole.endsWith(RESTORE) ? versionIn(withoutRestore(whole)) : undefined;
  if (version) return restoreVersion(version, services);
  const { library } = services;
  const { destination, redirect: isRedirected } = body ?? {};
  const { raw, action } = splitAction(whole);
  const path = requirePath(raw);
  if (action === 'move') {
    return { success: true, path: await library.move(path, parseNewPath(destination ?? ''), { isRedirected }) };
  }
  if (isRedirected)
    throw badRequest('In "redirect": expected nothing for copy, received a value.', 'validation_failed');
  return { success: true, path: await library.copy(path, destination ? parseNewPath(destination) : undefined) };
}

/** The entry of a move, a copy or a restored version. */
function relocated(request: FastifyRequest, path: string, redirect: boolean | undefined): Outcome {
  const whole = rawPath(request);
  const version = whole.endsWith(RESTORE) ? versionIn(withoutRestore(whole)) : undefined;
  if (version) return { action: 'file.restored', target: version.path, detail: { version: version.id } };
  const { raw, action } = splitAction(whole);
  return {
    action: action === 'move' ? 'file.moved' : 'file.copied',
    target: requirePath(raw),
    detail: { to: path, redirect },
  };
}

/** @param isFile false for a version */
function removedBy(request: FastifyRequest, isFile: boolean, isForTrash: boolean): Outcome {
  const version = isFile ? undefined : versionIn(rawPath(request));
  if (version) return { target: version.path, detail: { version: version.id } };
  return { action: isForTrash ? 'file.trashed' : 'file.deleted', target: requirePath(rawPath(request)) };
}

async function removeFileOrVersion(
  request: FastifyRequest,
  { recursive, trash: isForTrash }: z.output<typeof deleteQuery>,
  services: Services,
) {
  const { library, trash, originals } = services;
  const path = requirePath(rawPath(request));
  const version = versionIn(rawPath(request));
  // An existing path takes precedence: a folder may be called `versions`.
  if (version && !(await isTaken(originals.store, path))) return removeVersion(version, services);
  if (isForTrash) {
    const details = await trash.put(path, { recursive });
    return { success: true, message: `Moved ${quote(path)} into the trash.`, details };
  }
  const details = await library.remove(path, { recursive });
  return { success: true, message: `Deleted ${quote(path)} and its cached variants.`, details };
}
