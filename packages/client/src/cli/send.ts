import { constants, openAsBlob } from 'node:fs';
import { access } from 'node:fs/promises';
import type { components } from '../api-types.ts';
import { Failure } from './command.ts';
import type { LocalFile } from './local-files.ts';
import { inParallel } from './parallel.ts';
import { plain } from './printable.ts';
import { sendResumably } from './resumable.ts';
import { jsonOf, reasonOf, type Service } from './service.ts';

type UploadResult = components['schemas']['UploadResult'];

/** Files from this size on are sent by themselves, and resumed after an interruption. */
const LARGE_BYTES = 16 * 1024 * 1024;
/** Small files share requests: the number of requests is limited, and each takes time. */
const BATCH = { files: 16, bytes: 8 * 1024 * 1024 };
/** Concurrent requests. */
export const REQUESTS = 4;

export interface UploadOptions {
  folder: string;
  existing: string;
}

/** Outcome of one file. */
export type Outcome = { file: string } & (
  | { status: 'new' | 'same'; path: string; url: string }
  | { status: 'failed'; error: string }
);

/**
 * Sends files, several in parallel, each read from disk as it is sent.
 * @param onOutcome called with the outcome of each file
 * @throws Failure if no other file can be sent either: the service is unreachable, or rejects the key
 */
export async function sendFiles(
  service: Service,
  files: readonly LocalFile[],
  options: UploadOptions,
  onOutcome: (outcome: Outcome, size: number) => void,
): Promise<void> {
  await inParallel(batchesOf(files), REQUESTS, async (batch) => {
    const { readable, failed } = await open(batch);
    const outcomes = [...failed, ...(readable.length > 0 ? await send(service, readable, options) : [])];
    for (const outcome of outcomes) onOutcome(outcome, batch.find(({ file }) => file === outcome.file)?.size ?? 0);
  });
}

interface Opened extends LocalFile {
  bytes: Blob;
}

/** A path is in a batch once, so that errors can be assigned to files. */
function batchesOf(files: readonly LocalFile[]): LocalFile[][] {
  const batches: LocalFile[][] = [];
  let last: LocalFile[] = [];
  let size = 0;
  for (const file of files) {
    const isFull = last.length === BATCH.files || size + file.size > BATCH.bytes;
    if (isFull || last.length === 0 || last.some(({ path }) => path === file.path)) {
      last = [];
      size = 0;
      batches.push(last);
    }
    last.push(file);
    size += file.size;
  }
  return batches;
}

async function open(batch: readonly LocalFile[]): Promise<{ readable: Opened[]; failed: Outcome[] }> {
  const readable: Opened[] = [];
  const failed: Outcome[] = [];
  for (const one of batch) {
    try {
      await access(one.file, constants.R_OK);
      readable.push({ ...one, bytes: await openAsBlob(one.file) });
    } catch (error) {
      failed.push(failure(one, plain(error instanceof Error ? error.message : String(error))));
    }
  }
  return { readable, failed };
}

/** @throws Failure as `sendFiles` */
async function send(service: Service, batch: readonly Opened[], options: UploadOptions): Promise<Outcome[]> {
  try {
    const [first] = batch;
    const isLarge = first !== undefined && first.bytes.size >= LARGE_BYTES;
    const answer = isLarge
      ? await sendResumably(service, first.bytes, { ...options, filename: first.path })
      : await sendForm(service, batch, options);
    return outcomesOf(service, batch, answer.status, await jsonOf(answer));
  } catch (error) {
    if (error instanceof Failure) throw error;
    // The bytes could not be read: the file changed meanwhile.
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    return batch.map((one) => failure(one, plain(cause instanceof Error ? cause.message : String(cause))));
  }
}

function sendForm(service: Service, batch: readonly Opened[], { folder, existing }: UploadOptions): Promise<Response> {
  const body = new FormData();
  body.append('folder', folder);
  body.append('existing', existing);
  for (const { path } of batch) body.append('names', path);
  for (const { bytes, path } of batch) body.append('files', bytes, path);
  return service.request('POST', '/upload', { body, isRepeatable: existing === 'skip' });
}

/** The service lists stored and rejected files, each in the order of the request. */
function outcomesOf(service: Service, batch: readonly Opened[], status: number, body: unknown): Outcome[] {
  const { files: stored, errors: refused } = (body ?? {}) as Partial<UploadResult>;
  if (!Array.isArray(stored) || !Array.isArray(refused)) {
    return batch.map((one) => failure(one, reasonOf(status, body)));
  }
  const left = [...stored];
  const wrong = [...refused];
  return batch.map((one) => {
    if (wrong[0]?.filename === one.path) return failure(one, reasonOf(status, wrong.shift()));
    const found = left.shift();
    if (found === undefined) return failure(one, 'The service left this file out.');
    const url = found.url.startsWith('/') ? service.base + found.url : found.url;
    return { file: one.file, status: found.skipped ? 'same' : 'new', path: found.path, url };
  });
}

function failure({ file }: LocalFile, error: string): Outcome {
  return { file, status: 'failed', error };
}
