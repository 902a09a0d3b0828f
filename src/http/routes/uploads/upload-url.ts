import { z } from 'zod';
import { TRUSTED } from '../../../client.ts';
import { badRequest, HttpProblem } from '../../../errors.ts';
import { fetchedName, fileTooLarge, type UploadResult, uploadFiles } from '../../../library/upload.ts';
import { logUnreachable } from '../../../outgoing/guarded-request.ts';
import { type OpenedUrl, openUrl, unfetched } from '../../../outgoing/open-url.ts';
import { createReach, type MayReach } from '../../../outgoing/public-address.ts';
import { quote } from '../../../path.ts';
import { callerOf } from '../../admission/caller.ts';
import { receiveFile } from '../../bodies/file-body.ts';
import { FORM_IDLE_MS } from '../../bodies/multipart.ts';
import type { UploadPlace } from '../../bodies/upload-capacity.ts';
import { defineEndpoint, type Endpoint, type RouteContext } from '../../endpoints/endpoint.ts';
import { ClientLeft, leavingSignal } from '../../transport/send.ts';
import { bodyOf, existing, rejected, statusOf, storedBytes, storedFiles, uploaded } from './answer.ts';

// A misspelt folder would be the root, whose files may be public.
const body = z.strictObject({
  url: z.string().describe('http or https, on the public internet.'),
  folder: z.string().optional().describe('Folder for the file; by default the root.'),
  name: z
    .string()
    .optional()
    .describe('Default: the last segment of the URL, with the extension of the detected type.'),
  existing,
  transformations: z.array(z.string()).optional().describe('Transformations to render immediately.'),
});
type Body = z.output<typeof body>;

/** `POST /upload/url`: fetches a file and stores it like an upload. */
export function uploadUrlRoutes(context: RouteContext): readonly Endpoint[] {
  const mayReach = createReach(context.services.config.outgoing.privateNetworks);
  return [
    defineEndpoint('POST /upload/url', {
      access: 'upload',
      noStore: true,
      audit: 'file.uploaded',
      outcome: (_request, answer) => storedFiles(answer),
      openapi: {
        id: 'uploadUrl',
        tag: 'Upload',
        summary: 'Fetches a file from a URL and stores it.',
        errors: [503, 507],
        description: 'Only public addresses are fetched, also after redirects.',
      },
      schemas: { body, response: { 200: uploaded, 207: uploaded, 400: rejected } },
      async handle(request, reply) {
        const signal = leavingSignal(reply.raw);
        const mayRead = callerOf(request).permissions.includes('read');
        const result = await context.urlFetches.use(signal, () =>
          fetchFile(request.body, { context, mayReach, mayRead, signal }),
        );
        context.usageTrail.uploaded(request.raw, storedBytes(result));
        reply.code(statusOf(result));
        return bodyOf(result);
      },
    }),
  ];
}

interface Fetching {
  context: RouteContext;
  mayReach: MayReach;
  mayRead: boolean;
  signal: AbortSignal;
}

async function fetchFile(status: Body, { context, mayReach, mayRead, signal }: Fetching): Promise<UploadResult> {
  const { services, uploadCapacity } = context;
  const { config, temp, log } = services;
  const opened = await openUrl(status.url, { mayReach, userAgent: 'Darkroom' }, signal).catch((error: unknown) => {
    logUnreachable(log, error);
    throw error;
  });
  // From here on, nothing else consumes the body.
  signal.addEventListener('abort', () => opened.response.destroy(), { once: true });
  using reservation = await uploadCapacity.enter(TRUSTED, signal);
  try {
    await using received = await receive(opened, reservation, { ...config.upload, temp }, signal);
    const name = status.name || (received.file === undefined ? '' : await fetchedName(opened.url, received.file));
    const { folder = '', transformations = [] } = status;
    const { file, refusal } = received;
    const incoming = { name, declaredType: '', file, refusal, discard: () => received.discard() };
    return await uploadFiles(
      { ...services.uploading, signal },
      {
        client: TRUSTED,
        mayRead,
        files: [incoming],
        folder,
        names: [],
        existing: status.existing,
        transformations,
      },
    );
  } finally {
    opened.response.destroy();
  }
}

/**
 * Receives the body like that of an upload. @throws HttpProblem 400 if it is too large, encoded, too slow or incomplete
 */
async function receive(
  { url, response }: OpenedUrl,
  capacity: UploadPlace,
  limits: {
    maxFileBytes: number;
    maxFileSetting: string;
    minBytesPerSecond: number;
    graceMs: number;
    temp: string;
  },
  signal: AbortSignal,
) {
  const { maxFileBytes } = limits;
  const { 'content-encoding': coding = 'identity', 'content-length': length = '0' } = response.headers;
  const tooLarge = () => badRequest(fileTooLarge(maxFileBytes, limits.maxFileSetting), 'file_too_large');
  if (coding !== 'identity') throw unfetched(url, `it is coded as ${quote(coding)}, which was not requested`);
  if (Number(length) > maxFileBytes) throw tooLarge();
  try {
    return await receiveFile(response, { ...limits, maxRequestBytes: maxFileBytes, capacity, idleMs: FORM_IDLE_MS });
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof ClientLeft) throw unfetched(url, 'the connection broke before the end of the file');
    if (!(error instanceof HttpProblem)) throw error;
    if (error.code === 'payload_too_large') throw tooLarge();
    throw error.code === 'request_timeout' ? unfetched(url, 'it comes too slowly (UPLOAD_MIN_RATE_KB)') : error;
  }
}
