import type { ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { AdmitFile } from '../../delivery/file-access.ts';
import { isAdmitted } from '../../delivery/find-original.ts';
import { badRequest, notFound } from '../../errors.ts';
import { type Archive, type ArchiveItem, createArchive, filesOfFolder, filesOfItems } from '../../library/archive.ts';
import { mediaTypeOf } from '../../media.ts';
import { baseName, encodePath, parsePath, quote, type StoragePath } from '../../path.ts';
import { requireRead } from '../admission/delivery-mode.ts';
import { defineEndpoint, type Endpoint, type RouteContext } from '../endpoints/endpoint.ts';
import { countBody, noteFile } from '../observe/sent-bytes.ts';
import { raw } from '../problem.ts';
import { attachment } from '../transport/attachment.ts';
import { rawPath, requirePath } from '../transport/raw-path.ts';
import { leavingSignal, send } from '../transport/send.ts';

const MAX_ITEMS = 200;

/** A download is for this client only, so no cache may store it. */
const NO_STORE = 'private, no-store';

/** Selection of files and folders. */
export const zipBody = z.object({
  items: z.array(z.object({ path: z.string().min(1), kind: z.enum(['file', 'folder']).optional() })).optional(),
  paths: z.array(z.string().min(1)).optional(),
});

const tag = 'Download';
const open = { access: 'public', limit: 'public', revealsFileNames: true } as const;

/** Originals as attachments: a file, or a folder or selection as a ZIP archive. */
export function downloadRoutes(context: RouteContext): readonly Endpoint[] {
  const file = defineEndpoint('GET /download/*', {
    alsoAt: ['/download'],
    ...open,
    openapi: {
      id: 'downloadFile',
      tag,
      summary: 'Downloads an original.',
      media: ['*/*'],
      statuses: [200, 206, 304],
      errors: [401, 403, 404, 412, 416],
    },
    handle: raw(async (request, reply) => sendFile(request, reply, context)),
  });
  const folder = defineEndpoint('GET /download-folder/*', {
    alsoAt: ['/download-folder'],
    ...open,
    openapi: {
      id: 'downloadFolder',
      tag,
      summary: 'Downloads a folder as a ZIP.',
      media: ['application/zip'],
      errors: [401, 403, 404],
    },
    handle: raw(async (request, reply) => sendFolder(request, reply, context)),
  });
  return [file, folder, choiceEndpoint(context)];
}

function choiceEndpoint({ services, countForArchive }: Context): Endpoint {
  return defineEndpoint('POST /download-zip', {
    access: 'read',
    openapi: {
      id: 'downloadZip',
      tag,
      summary: 'Downloads files and folders as a ZIP.',
      media: ['application/zip'],
      errors: [404],
    },
    schemas: { body: zipBody },
    async handle(request, reply) {
      const { store } = services.originals;
      const items = chosenItems(request.body, MAX_ITEMS);
      await countForArchive(request, pathsOf(items));
      const leaving = leavingSignal(reply.raw);
      const entries = await filesOfItems(store, items, leaving);
      if (entries.length === 0) throw notFound('None of these files exists.', 'no_files_found');
      const archive = await createArchive(store, entries, leaving);
      return raw(() => sendArchive(request, reply.raw, { archive, leaving, name: 'download' }))(request, reply);
    },
  });
}

type Services = RouteContext['services'];

type Context = Pick<RouteContext, 'services' | 'countForSpace' | 'countForArchive'>;

async function sendFile(
  request: FastifyRequest,
  reply: FastifyReply,
  { services, countForSpace }: Context,
): Promise<void> {
  const { originals, deliveryRules } = services;
  const requested = requirePath(rawPath(request));
  const admit = async (file: StoragePath) => {
    const refusal = deliveryRules.refusalOf(file, 'original', undefined);
    if (refusal) await requireRead(request, reply, services, refusal);
  };
  await admit(requested);
  await countForSpace(request, requested);
  const present = await originals.check(requested);
  const target = present ? undefined : await redirectedTo(requested, services, admit);
  const path = target ?? requested;
  const stat = target ? await originals.check(target) : present;
  if (!stat) throw notFound(`There is no file ${quote(requested)}.`, 'file_not_found');
  noteFile(reply.raw, path);
  await send(request.raw, reply.raw, {
    size: stat.size,
    etag: `"${stat.etag}"`,
    modifiedAt: stat.modifiedAt,
    body: (range, signal) => originals.store.open(path, { ...(range && { range }), signal }),
    headers: {
      'Content-Type': mediaTypeOf(path).mime,
      'Content-Disposition': attachment(baseName(path)),
      'Cache-Control': NO_STORE,
      ...(target && canonicalLink('/download/', target, services)),
    },
  });
}

/** Returns where the redirect of a missing path leads, if the client may have that: it must not learn of it otherwise. */
async function redirectedTo(
  path: StoragePath,
  { followRedirect }: Services,
  admit: AdmitFile,
): Promise<StoragePath | undefined> {
  const to = (await followRedirect(path))?.to;
  return to !== undefined && (await isAdmitted(admit, to, 'original')) ? to : undefined;
}

function canonicalLink(prefix: string, path: StoragePath, { config: { http } }: Services) {
  return { Link: `<${http.linkBase}${prefix}${encodePath(path)}>; rel="canonical"` };
}

async function sendFolder(
  request: FastifyRequest,
  reply: FastifyReply,
  { services, countForArchive }: Context,
): Promise<void> {
  const { originals, deliveryRules } = services;
  const response = reply.raw;
  const requested = requirePath(rawPath(request));
  const admit = async (folder: StoragePath) => {
    const refusal = deliveryRules.refusalOfFolder(folder);
    if (refusal) await requireRead(request, reply, services, refusal);
  };
  await admit(requested);
  await countForArchive(request, [requested]);
  const leaving = leavingSignal(response);
  const present = await filesOfFolder(originals.store, requested, leaving);
  const target = present.length === 0 ? await redirectedTo(requested, services, admit) : undefined;
  // There may be spaces in it.
  if (target) await countForArchive(request, [target]);
  const folder = target ?? requested;
  const entries = target ? await filesOfFolder(originals.store, target, leaving) : present;
  if (entries.length === 0)
    throw notFound(`There is no folder ${quote(requested)} with files in it.`, 'folder_not_found');
  const archive = await createArchive(originals.store, entries, leaving);
  const link = target && canonicalLink('/download-folder/', target, services);
  await sendArchive(request, response, { archive, leaving, name: baseName(folder), folder, link });
}

interface Sending {
  name: string;
  folder?: StoragePath;
  /** Names the URL of a folder that was requested by a previous path. */
  link?: Readonly<Record<string, string>> | undefined;
}

/** Sends an archive as a download of this name, or only its headers for HEAD. */
export async function sendArchive(
  request: FastifyRequest,
  response: ServerResponse,
  { archive: { size, stream }, leaving, name, folder, link = {} }: Sending & { archive: Archive; leaving: AbortSignal },
): Promise<void> {
  noteFile(response, folder);
  response.writeHead(200, {
    'Content-Type': 'application/zip',
    'Content-Disposition': attachment(`${name}.zip`),
    'Content-Length': size,
    'Cache-Control': NO_STORE,
    ...link,
  });
  if (request.method === 'HEAD') {
    stream.destroy();
    response.end();
    return;
  }
  try {
    await pipeline(
      stream,
      async function* (chunks: AsyncIterable<Buffer>) {
        for await (const chunk of chunks) {
          countBody(response, chunk.length);
          yield chunk;
        }
      },
      response,
    );
  } catch (error) {
    // Too late for another response. The client detects the truncated archive by its length.
    if (!leaving.aborted) request.log.error({ err: error }, 'archive cut short');
    response.destroy();
  }
}

/** Returns the paths of chosen items. @throws HttpProblem 400 */
export function pathsOf(items: readonly ArchiveItem[]): StoragePath[] {
  return items.map(({ path }) => parsePath(path));
}

/** @throws HttpProblem 400 */
export function chosenItems({ items, paths }: z.output<typeof zipBody>, max: number): readonly ArchiveItem[] {
  const chosen: readonly ArchiveItem[] | undefined = items ?? paths?.map((path) => ({ path }));
  if (chosen === undefined || chosen.length === 0) {
    throw badRequest('Expected a list "items" or "paths" with at least one entry, received none.', 'missing_input');
  }
  if (chosen.length > max) {
    throw badRequest(`Expected at most ${max} entries, received ${chosen.length}.`, 'too_many_items');
  }
  return chosen;
}
