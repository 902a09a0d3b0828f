import { messages } from '../../messages/en.ts';
import { serviceFailed } from '../availability.ts';
import { encodePath, urlOf } from '../base.ts';
import { ApiError, errorOf } from '../error.ts';
import { nameOf } from '../paths.ts';
import { sessionLost } from '../session-state.ts';
import type { Answers } from '../types.ts';
import { listVersions } from '../versions.ts';
import type { Result, Send } from './queue.ts';
import { refusalOf } from './refusal.ts';
import { isLarge, type Reply, sendResumable } from './resumable.ts';
import { pathOf, type Upload } from './upload.ts';

/** Sends files with `POST /upload`, large ones by tus, and replacements with `PUT /storage/{path}`. */
export const sendFiles: Send = async (batch, onSent, signal) => {
  const [first] = batch;
  // Those from before the first attempt: one that broke off may have replaced the file too.
  if (first?.replaces && first.versionsBefore === undefined)
    first.versionsBefore = await versionIds(pathOf(first), signal);
  for (;;) {
    const answer = await sendOnce(batch, onSent, signal);
    if (answer.status === 0) serviceFailed();
    if (answer.status !== 401) return first?.replaces ? [resultOf(first, answer)] : resultsOf(batch, answer);
    await sessionLost(signal);
  }
};

function sendOnce(batch: readonly Upload[], onSent: (bytes: number) => void, signal: AbortSignal): Promise<Reply> {
  const [first] = batch;
  if (first?.replaces) return putFile(first, onSent, signal);
  return first && isLarge(first) ? sendResumable(first, onSent, signal) : postFiles(batch, onSent, signal);
}

/** Ids of the versions of a file; null if they cannot be listed. @throws where the upload is interrupted */
async function versionIds(path: string, signal: AbortSignal): Promise<ReadonlySet<string> | null> {
  try {
    return new Set((await listVersions(path, signal)).map(({ id }) => id));
  } catch {
    signal.throwIfAborted();
    return null;
  }
}

const putFile = (upload: Upload, onSent: (bytes: number) => void, signal: AbortSignal) =>
  request('PUT', `storage/${encodePath(pathOf(upload))}`, upload.file, onSent, signal);

function postFiles(batch: readonly Upload[], onSent: (bytes: number) => void, signal: AbortSignal): Promise<Reply> {
  const form = new FormData();
  form.append('folder', batch[0]?.folder ?? '');
  for (const { name } of batch) form.append('names', name);
  for (const one of batch[0]?.transformations ?? []) form.append('transformations', one);
  for (const { file } of batch) form.append('files', file);
  return request('POST', 'upload', form, onSent, signal);
}

/** `fetch` does not report upload progress. */
function request(
  method: string,
  path: string,
  body: File | FormData,
  onSent: (bytes: number) => void,
  signal: AbortSignal,
): Promise<Reply> {
  signal.throwIfAborted();
  const { promise, resolve, reject } = Promise.withResolvers<Reply>();
  const sending = new XMLHttpRequest();
  sending.open(method, urlOf(path));
  sending.upload.onprogress = ({ loaded }) => onSent(loaded);
  const end = () => {
    const { status, responseText: text } = sending;
    resolve({ status, text, header: (name) => sending.getResponseHeader(name) });
  };
  sending.onload = end;
  sending.onerror = end;
  const stop = () => {
    sending.abort();
    reject(signal.reason);
  };
  signal.addEventListener('abort', stop, { once: true });
  sending.onloadend = () => signal.removeEventListener('abort', stop);
  sending.send(body);
  return promise;
}

/** Maps the response, which lists results by the sent name, to the batch. */
function resultsOf(batch: readonly Upload[], reply: Reply): Result[] {
  const body = parse(reply.text);
  if (body?.files === undefined || body.errors === undefined) return batch.map((upload) => resultOf(upload, reply));
  const failures = new Map(body.errors.map((one) => [one.filename, one]));
  const stored = [...body.files];
  return batch.map(({ name }): Result => {
    const failure = failures.get(name);
    if (failure) return { ...refusalOf(name, { ...failure, message: failure.error }), isPassing: false };
    const { path, prewarmErrors = [], queueErrors = [] } = stored.shift() ?? {};
    const problems = [...changesOf(name, path), ...prewarmErrors, ...queueErrors];
    return { ...(path !== undefined && { path }), ...(problems.length > 0 && { warning: problems.join(' ') }) };
  });
}

/** Characters that the service drops from names. */
const DROPPED = /[\\#?%\p{Cc}]/gu;

/** Says how a file is named whose name has lost characters. */
function changesOf(name: string, path: string | undefined): string[] {
  if (path === undefined || name.search(DROPPED) < 0) return [];
  return [messages.uploads.storedAs(nameOf(path))];
}

function resultOf({ name, replaces }: Upload, reply: Reply): Result {
  if (reply.status >= 200 && reply.status < 300) {
    // A replaced file says where it is.
    const path: unknown = parse(reply.text)?.path;
    return typeof path === 'string' ? { path } : {};
  }
  const problem =
    reply.status === 0 ? new ApiError(0, 'The connection broke off.') : errorOf(reply.status, reply.header, reply.text);
  return { ...refusalOf(name, problem, replaces), isPassing: problem.isPassing, retryAfter: problem.retryAfter };
}

function parse(text: string): Partial<Answers['uploadFiles'] & Answers['replaceFile']> | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
