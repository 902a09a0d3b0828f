import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { badRequest, HttpProblem } from '../../../errors.ts';
import { type FolderSummary, type RequestedFolder, summarise } from '../../../library/folder-summaries.ts';
import type { Services } from '../../../library-services.ts';
import { parseNewPath, parsePath, quote, ROOT, type StoragePath } from '../../../path.ts';
import { BlobConflict } from '../../../storage/blob-store.ts';
import { FORM_IDLE_MS, receiveForm } from '../../bodies/multipart.ts';
import { yesOrNo } from '../../bodies/query-forms.ts';
import { NO_CAPACITY } from '../../bodies/upload-capacity.ts';
import { defineEndpoint, type Endpoint, type RouteContext } from '../../endpoints/endpoint.ts';
import { errorCode } from '../../problem.ts';
import { rawQuery } from '../../transport/raw-path.ts';
import { listedFile } from './storage.ts';

const MAX_PATHS = 200;

/** What a thumbnail depends on. */
const details = listedFile
  .pick({ size: true, mtime: true, width: true, height: true, placeholder: true, problem: true })
  .partial();
const previewItem = z
  .object({ path: z.string(), type: z.enum(['image', 'video']), ...details.shape })
  .describe('`path` and `type` alone, unless details are requested.');
const summary = z.object({
  itemCount: z.number().int().min(0).describe('A lower bound if truncated.'),
  truncated: z.boolean(),
  previewItems: z.array(previewItem),
});
const folderList = z.object({ folders: z.array(z.string()) });
const summaryQuery = z.object({
  paths: z
    .preprocess((paths) => (typeof paths === 'string' ? [paths] : paths), z.array(z.string()).optional())
    .describe(`At most ${MAX_PATHS} folders.`),
  details: yesOrNo().default(false).describe('Describes the images and videos as listings do.'),
});
const summaryList = z.object({ summaries: z.record(z.string(), summary) });

const folderForm = z.object({ folder: z.string() });
const created = z.object({ success: z.boolean(), folder: z.string() });
const taken = created.extend({ error: z.string(), code: errorCode });

/** Listing, summarising and creating folders. */
export function folderRoutes({ services }: RouteContext): readonly Endpoint[] {
  const listAll = defineEndpoint('GET /storage/folders', {
    access: 'read',
    openapi: { id: 'listAllFolders', tag: 'Storage', summary: 'Lists all folders.' },
    schemas: { response: { 200: folderList } },
    handle: async () => ({ folders: await services.listing.folders() }),
  });
  const summaries = defineEndpoint('GET /storage/folder-summaries', {
    access: 'read',
    openapi: { id: 'summariseFolders', tag: 'Storage', summary: 'Summarises folders.' },
    schemas: { query: summaryQuery, response: { 200: summaryList } },
    async handle(request) {
      const folders = await requestedFolders(request, services);
      const summaries = await summarise(services, folders);
      return { summaries: request.query.details ? summaries : withoutDetails(summaries) };
    },
  });
  const create = defineEndpoint('POST /upload/createfolder', {
    access: 'upload',
    audit: 'folder.created',
    outcome: (_request, answer) => ({ target: (answer as z.output<typeof created>).folder }),
    openapi: { id: 'createFolder', tag: 'Upload', summary: 'Creates a folder.' },
    schemas: { form: folderForm, response: { 201: created, 409: taken } },
    async handle(request, reply) {
      const folder = await readFolder(request, services);
      const isCreated = await createFolder(folder, services);
      reply.code(isCreated ? 201 : 409);
      if (isCreated) return { success: true, folder };
      return { success: false, folder, error: `${quote(folder)} exists already.`, code: 'name_taken' as const };
    },
  });
  return [listAll, summaries, create];
}

function withoutDetails(summaries: Record<string, FolderSummary>): z.output<typeof summaryList>['summaries'] {
  const named = Object.entries(summaries).map(([requested, { previewItems, ...counted }]) => {
    const items = previewItems.map(({ path, type }) => ({ path, type }));
    return [requested, { ...counted, previewItems: items }] as const;
  });
  return Object.fromEntries(named);
}

/**
 * Splits paths at commas, which names of folders may contain too. Next to a literal comma, an encoded one belongs to a
 * name. Alone, an encoded comma separates, unless a folder has the whole name.
 */
async function requestedFolders(request: FastifyRequest, { originals }: Services): Promise<RequestedFolder[]> {
  const folders: RequestedFolder[] = [];
  for (const value of rawQuery(request, 'paths')) {
    const parts = value.split(',').map(decodeQuery);
    const [only = ''] = parts;
    const isWhole = parts.length > 1 || !only.includes(',') || (await originals.store.folderExists(parsePath(only)));
    for (const requested of isWhole ? parts : only.split(',')) {
      if (requested !== '') folders.push({ requested, path: parsePath(requested) });
    }
  }
  if (folders.length > MAX_PATHS) {
    throw badRequest(`Expected at most ${MAX_PATHS} folder paths, received ${folders.length}.`, 'too_many_items');
  }
  return folders;
}

function decodeQuery(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch (cause) {
    throw new HttpProblem('invalid_encoding', `Expected percent-encoded UTF-8, received ${quote(text)}.`, { cause });
  }
}

/** @throws HttpProblem 400 for a body that is not multipart, or without a valid folder */
async function readFolder(request: FastifyRequest, { temp, config }: Services): Promise<StoragePath> {
  const options = { ...config.upload, temp, idleMs: FORM_IDLE_MS, maxFiles: 0, capacity: NO_CAPACITY };
  await using form = await receiveForm(request.raw, options);
  const folder = parseNewPath(form.fields.get('folder')?.at(-1) ?? '');
  if (folder === ROOT)
    throw badRequest('Expected a folder path in the field "folder", received none.', 'missing_input');
  return folder;
}

/** False when a folder or file has this path. */
async function createFolder(folder: StoragePath, { library }: Services): Promise<boolean> {
  try {
    return await library.createFolder(folder);
  } catch (error) {
    if (error instanceof BlobConflict) return false;
    throw error;
  }
}
