import type { HttpResponse, Upload as TusUpload } from 'tus-js-client';
import { urlOf } from '../base.ts';
import { fingerprintOf, identityOf } from './interrupted.ts';
import type { Upload } from './upload.ts';

/** Response to an upload. */
export interface Reply {
  /** 0 without a response. */
  status: number;
  text: string;
  header(name: string): string | null;
}

/** The connection was lost. */
const NO_REPLY: Reply = { status: 0, text: '', header: () => null };

/**
 * Files from this size use tus. At 1 MB/s smaller ones take under eight seconds to resend, while tus costs two more
 * requests and a library to load.
 */
const LARGE_BYTES = 8 * 1024 * 1024;

export const isLarge = ({ file }: Pick<Upload, 'file'>) => file.size >= LARGE_BYTES;

/** Transient status of an upload: the client starts over after any other error. */
const isPassing = (status: number) => [401, 423, 429].includes(status) || status >= 500;

/**
 * Sends a file by tus. Resumes after an interruption, and after a reload if the same file is chosen for the same
 * folder.
 * @returns the response that `POST /upload` would give
 */
export async function sendResumable(
  upload: Upload,
  onSent: (bytes: number) => void,
  signal: AbortSignal,
): Promise<Reply> {
  const { promise, resolve, reject } = Promise.withResolvers<Reply | undefined>();
  let refusal: HttpResponse | undefined;
  const sending = await open(upload, {
    onProgress: onSent,
    onAfterResponse(request: { getMethod(): string }, response: HttpResponse) {
      if (request.getMethod() !== 'HEAD' || !isPassing(response.getStatus())) return;
      refusal = response;
      throw new Error('The state of the upload is not known.');
    },
    onSuccess: () => resolve(undefined),
    onError: (error: Error & { originalResponse?: HttpResponse | null }) =>
      resolve(replyOf(refusal ?? error.originalResponse)),
  });
  if (!sending) return NO_REPLY;
  signal.throwIfAborted();
  const stop = () => {
    void sending.abort();
    reject(signal.reason);
  };
  signal.addEventListener('abort', stop, { once: true });
  try {
    sending.start();
    return (await promise) ?? (await resultOf(sending, signal));
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

/** Deletes the partial data of a cancelled upload on the service. */
export async function discardResumable(upload: Upload): Promise<void> {
  const sending = isLarge(upload) && !upload.replaces ? await open(upload, {}) : undefined;
  // The service deletes it after a day anyway.
  await sending?.abort(true).catch(() => undefined);
}

/** Opens an upload, resuming an interrupted one; undefined if the client cannot be loaded. */
async function open(upload: Upload, handlers: object): Promise<TusUpload | undefined> {
  const tus = await import('tus-js-client').catch(() => undefined);
  if (!tus) return undefined;
  const { file, folder, name, transformations = [] } = upload;
  const sending = new tus.Upload(file, {
    endpoint: new URL(urlOf('upload/resumable'), location.href).href,
    metadata: { filename: name, folder, transformations: transformations.join('\n') },
    fingerprint: async () => fingerprintOf(identityOf(upload)),
    removeFingerprintOnSuccess: true,
    // The queue retries.
    retryDelays: null,
    ...handlers,
  });
  const [previous] = await sending.findPreviousUploads();
  if (previous) sending.resumeFromPreviousUpload(previous);
  return sending;
}

function replyOf(response: HttpResponse | null | undefined): Reply {
  if (!response) return NO_REPLY;
  return {
    status: response.getStatus(),
    text: response.getBody(),
    header: (name) => response.getHeader(name) ?? null,
  };
}

/** Fetches the result of a stored file. */
async function resultOf({ url }: TusUpload, signal: AbortSignal): Promise<Reply> {
  const answer = await fetch(url ?? '', { headers: { 'Tus-Resumable': '1.0.0' }, signal }).catch((error) => {
    if (signal.aborted) throw error;
    return undefined;
  });
  // The file is stored; only the details of its result are missing.
  if (!answer?.ok) return { ...NO_REPLY, status: 200 };
  return { status: answer.status, text: await answer.text(), header: (name) => answer.headers.get(name) };
}
