import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { TRUSTED } from '../../../client.ts';
import { badRequest } from '../../../errors.ts';
import { checkType } from '../../../library/upload.ts';
import type { Services } from '../../../library-services.ts';
import { mediaTypeOf } from '../../../media.ts';
import { baseName, quote, type StoragePath } from '../../../path.ts';
import { receiveFile } from '../../bodies/file-body.ts';
import { FORM_IDLE_MS } from '../../bodies/multipart.ts';
import { defineEndpoint, type Endpoint, type RouteContext } from '../../endpoints/endpoint.ts';
import { noteFile } from '../../observe/sent-bytes.ts';
import { raw } from '../../problem.ts';
import { attachment } from '../../transport/attachment.ts';
import { evaluatePreconditions } from '../../transport/conditional.ts';
import { rawPath, requirePath } from '../../transport/raw-path.ts';
import { leavingSignal, send } from '../../transport/send.ts';

const bytes = z.number().int().min(0).describe('Bytes.');

const pixels = z.number().int().nullable();

export const versionList = z.object({
  versions: z.array(
    z
      .object({
        id: z.string(),
        size: bytes,
        createdAt: z.iso.datetime().describe('Time at which it was replaced.'),
        width: pixels.describe('Of the upright image; null if unknown.'),
        height: pixels,
      })
      .meta({ id: 'FileVersion' }),
  ),
});

export const versionRemoved = z.object({ success: z.boolean(), message: z.string() });

export const replaced = z.object({
  success: z.boolean(),
  path: z.string(),
  size: bytes,
  version: z.string().describe('ETag of the new file, without quotes.'),
});

const PATH = '/storage/{path}/versions/{id}';
/** Path and id of a version. */
const FORM = /^(.*)\/versions\/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;

export interface VersionAddress {
  path: StoragePath;
  id: string;
}

/** True if a raw path has the format of a version's. */
export function isVersionPath(raw: string): boolean {
  return FORM.test(raw);
}

/** Parses the raw path of a version, which may not exist. @throws HttpProblem 400 for an invalid path */
export function versionIn(raw: string): VersionAddress | undefined {
  const [, path = '', id] = FORM.exec(raw) ?? [];
  return id === undefined ? undefined : { path: requirePath(path), id };
}

const tag = 'Storage' as const;

/** OpenAPI operations of versions in the endpoints of `/storage/*`. */
export const versionDocs = {
  list: {
    id: 'listVersions',
    tag,
    summary: 'Lists the versions of a file.',
    answer: versionList,
    path: '/storage/{path}/versions',
    errors: [404, 503],
  },
  download: {
    id: 'downloadVersion',
    tag,
    summary: 'Downloads a version of a file.',
    path: PATH,
    media: ['*/*'],
    statuses: [200, 206, 304],
    errors: [404, 412, 416],
  },
  restore: {
    id: 'restoreVersion',
    tag,
    summary: 'Restores a version; the current file becomes a version.',
    path: `${PATH}/restore`,
    answer: replaced,
    errors: [404, 409, 503],
  },
  remove: {
    id: 'deleteVersion',
    tag,
    summary: 'Deletes a version of a file permanently.',
    path: PATH,
    answer: versionRemoved,
    errors: [404, 503],
  },
};

/** `PUT /storage/{path}`: replaces a file under the same URL. */
export function replaceEndpoint({ services, uploadCapacity, usageTrail }: RouteContext): Endpoint {
  return defineEndpoint('PUT /storage/*', {
    access: 'manage',
    coversEndpoints: true,
    noStore: true,
    audit: 'file.replaced',
    outcome: (_request, { path, size }) => ({ target: path, detail: { size } }),
    openapi: {
      id: 'replaceFile',
      tag,
      summary: 'Replaces the bytes of a file.',
      errors: [404, 412, 503, 507],
      description:
        'The previous file becomes a version. `If-Match` with an ETag of the file is honoured. `Content-Type` may name the type of the file.',
    },
    schemas: { file: true, response: { 200: replaced } },
    async handle(request, reply) {
      const path = requirePath(rawPath(request));
      const { config, temp, versions } = services;
      using capacity = await uploadCapacity.enter(TRUSTED, leavingSignal(reply.raw));
      await using received = await receiveFile(request.raw, { ...config.upload, temp, capacity, idleMs: FORM_IDLE_MS });
      if (received.file === undefined) throw badRequest(received.refusal ?? 'It was not received.', 'file_too_large');
      await versions.stat(path);
      await checkType(received, received.file, path, config.upload.types);
      const stored = await versions.replace(path, received.file, isExpectedBy(request));
      usageTrail.uploaded(request.raw, stored.size);
      return answerOf(path, stored);
    },
  });
}

/** Checks `If-Match` and `If-Unmodified-Since` against the current file. */
function isExpectedBy(request: FastifyRequest) {
  const { 'if-match': match, 'if-unmodified-since': unmodifiedSince } = request.headers;
  const headers = {
    ...(match && { 'if-match': match }),
    ...(unmodifiedSince && { 'if-unmodified-since': unmodifiedSince }),
  };
  return ({ etag, modifiedAt }: { etag: string; modifiedAt: Date }) =>
    evaluatePreconditions({ headers }, { etag: `"${etag}"`, modifiedAt }) !== 'failed';
}

export async function listVersions(path: StoragePath, { versions }: Services) {
  const found = await versions.list(path);
  return {
    versions: found.map(({ id, size, createdAt, width, height }) => ({
      id,
      size,
      createdAt: new Date(createdAt).toISOString(),
      width,
      height,
    })),
  };
}

/** Sends a version as an attachment. */
export async function sendVersion(
  request: FastifyRequest,
  reply: FastifyReply,
  { path, id }: VersionAddress,
  { services: { versions }, countForSpace }: Pick<RouteContext, 'services' | 'countForSpace'>,
): Promise<FastifyReply> {
  await countForSpace(request, path);
  const version = await versions.open(path, id);
  noteFile(reply.raw, path);
  const answer = () =>
    send(request.raw, reply.raw, {
      size: version.size,
      etag: `"${id}"`,
      modifiedAt: new Date(version.createdAt),
      isGuarded: true,
      body: (range, signal) => version.open({ ...(range && { range }), signal }),
      headers: {
        'Content-Type': mediaTypeOf(path).mime,
        'Content-Disposition': attachment(baseName(path)),
        'Cache-Control': 'private, no-store',
      },
    });
  return raw(answer)(request, reply);
}

export async function restoreVersion({ path, id }: VersionAddress, { versions }: Services) {
  return answerOf(path, await versions.restore(path, id));
}

export async function removeVersion({ path, id }: VersionAddress, { versions }: Services) {
  await versions.remove(path, id);
  return { success: true, message: `Deleted the version ${quote(id)} of ${quote(path)}.` };
}

const answerOf = (path: StoragePath, { size, etag }: { size: number; etag: string }) => ({
  success: true,
  path,
  size,
  version: etag,
});
