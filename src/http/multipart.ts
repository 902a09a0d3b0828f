import { randomUUID } from 'node:crypto';
import type { EventEmitter } from 'node:events';
import { createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { Transform, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Busboy, type BusboyFileStream, type BusboyInstance } from '@fastify/busboy';
import { badRequest, HttpProblem, payloadTooLarge } from '../errors.ts';
import { ClientLeft } from './send.ts';

/** A file part, saved to a temporary file of its own. */
export interface ReceivedFile {
  /** As the client sent it; may contain separators. */
  name: string;
  declaredType: string;
  size: number;
  /** Undefined when the part was over the limit: its bytes were read and dropped. */
  file: string | undefined;
}

export interface ReceivedForm {
  files: ReceivedFile[];
  fields: Map<string, string[]>;
  /** Removes the temporary files that nobody took. */
  discard(): Promise<void>;
}

export interface MultipartLimits {
  temp: string;
  maxFileBytes: number;
  maxRequestBytes: number;
  maxFiles: number;
  /** How long the client may send nothing, in milliseconds. */
  idleMs: number;
}

/** How long a client may pause in the middle of a form. */
export const FORM_IDLE_MS = 60_000;

const MAX_FIELDS = 2000;
const MAX_FIELD_BYTES = 64 * 1024;
/** Of all fields together, because they are held in memory. */
const MAX_FIELDS_BYTES = 2 * 1024 * 1024;

/**
 * Receives a multipart form in constant memory: file parts go to temporary files as they arrive.
 * @throws HttpProblem 400 for what is no multipart form, 413 for a request over the limit (both read to their end first,
 * so that the client hears of it), 408 for a client that stops sending; ClientLeft
 */
export async function receiveForm(request: IncomingMessage, limits: MultipartLimits): Promise<ReceivedForm> {
  const parser = createParser(request, limits);
  const hasDeclaredType = watchDeclaredTypes(parser);
  const files: Promise<ReceivedFile>[] = [];
  const fields = new Map<string, string[]>();
  const saved = new Set<string>();
  const discard = async () => {
    await Promise.all([...saved].map((file) => rm(file, { force: true })));
  };
  const failure = new AbortController();
  let excess: HttpProblem | undefined;
  let fieldBytes = 0;
  parser.on('file', (field, stream, name, _encoding, type) => {
    if (field !== 'files' && field !== 'files[]')
      excess ??= badRequest(`Expected files in the field "files", received "${field}".`);
    const file = join(limits.temp, randomUUID());
    saved.add(file);
    const about = { name: unescapeName(name ?? ''), declaredType: hasDeclaredType() ? type : '' };
    const received = saveFile(stream, file, about, failure.signal);
    received.catch((error) => failure.abort(error));
    files.push(received);
  });
  parser.on('field', (name, value, _isNameCut, isValueCut) => {
    if (isValueCut) excess ??= badRequest(`Expected at most ${MAX_FIELD_BYTES} bytes in the field "${name}".`);
    fieldBytes += Buffer.byteLength(value);
    if (fieldBytes <= MAX_FIELDS_BYTES) fields.set(name, [...(fields.get(name) ?? []), value]);
    else excess ??= badRequest(`Expected at most ${MAX_FIELDS_BYTES} bytes in all fields together.`);
  });
  parser.on('filesLimit', () => {
    excess ??= badRequest(`Expected at most ${limits.maxFiles} files in a request (MAX_FILES_PER_UPLOAD).`);
  });
  parser.on('fieldsLimit', () => {
    excess ??= badRequest(`Expected at most ${MAX_FIELDS} fields in a request.`);
  });
  try {
    await readBody(request, parser, limits, failure);
    const form = { files: await Promise.all(files), fields, discard };
    if (excess) throw excess;
    return form;
  } catch (error) {
    failure.abort(error);
    await Promise.allSettled(files);
    await discard();
    throw error;
  }
}

/** Browsers escape what would end a file name in its header, and nothing else (HTML, 4.10.21.8). */
function unescapeName(name: string): string {
  return name.replaceAll('%22', '"').replaceAll('%0D', '\r').replaceAll('%0A', '\n');
}

function createParser(request: IncomingMessage, limits: MultipartLimits): BusboyInstance {
  const contentType = request.headers['content-type'] ?? '';
  if (!/^multipart\/form-data\b/i.test(contentType)) {
    throw badRequest(`Expected a body of type multipart/form-data, received ${contentType || 'no type'}.`);
  }
  try {
    return new Busboy({
      headers: { ...request.headers, 'content-type': contentType },
      preservePath: true,
      limits: {
        // One byte more tells a file that is too large from one that just fits.
        fileSize: limits.maxFileBytes + 1,
        files: limits.maxFiles,
        fields: MAX_FIELDS,
        fieldSize: MAX_FIELD_BYTES,
      },
    });
  } catch (cause) {
    throw new HttpProblem(400, 'Bad request', 'Expected multipart/form-data with a boundary.', { cause });
  }
}

/** Parts without a declared type reach us with the default of RFC 7578, `text/plain`; here the difference matters. */
function watchDeclaredTypes(parser: BusboyInstance): () => boolean {
  let isDeclared = false;
  const { parser: dicer } = (parser as unknown as { _parser: { parser: EventEmitter } })._parser;
  dicer.prependListener('part', (part: EventEmitter) => {
    part.once('header', (header: Record<string, unknown>) => {
      isDeclared = header['content-type'] !== undefined;
    });
  });
  return () => isDeclared;
}

async function saveFile(
  stream: BusboyFileStream,
  file: string,
  about: { name: string; declaredType: string },
  signal: AbortSignal,
): Promise<ReceivedFile> {
  let size = 0;
  const count = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      size += chunk.length;
      done(null, chunk);
    },
  });
  const sink = createWriteStream(file, { flags: 'wx' });
  // Even a stream that is destroyed at once may still create its file: only then can the file be removed for good.
  const closed = new Promise<void>((resolve) => sink.once('close', resolve));
  await pipeline(stream, count, sink, { signal }).finally(() => closed);
  if (!stream.truncated) return { ...about, size, file };
  await rm(file, { force: true });
  return { ...about, size, file: undefined };
}

/**
 * Feeds the parser. After a failure, and over the limit of the whole request, what comes is read and dropped: a client
 * listens only when it has sent everything.
 */
async function readBody(
  request: IncomingMessage,
  parser: BusboyInstance,
  { maxRequestBytes, idleMs }: MultipartLimits,
  failure: AbortController,
): Promise<void> {
  const { signal } = failure;
  const failed = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
  const parsed = new Promise<void>((resolve) => parser.once('finish', resolve));
  parser.on('error', (cause: Error) =>
    failure.abort(new HttpProblem(400, 'Bad request', 'The multipart form is broken.', { cause })),
  );
  const idle = Promise.withResolvers<never>();
  const timer = setTimeout(() => idle.reject(stoppedSending(idleMs)), idleMs);
  let received = 0;
  const meter = new Writable({
    write(chunk: Buffer, _encoding, done) {
      timer.refresh();
      received += chunk.length;
      if (received > maxRequestBytes) failure.abort(requestTooLarge(maxRequestBytes));
      if (signal.aborted || parser.write(chunk)) return done();
      const drained = new Promise<void>((resolve) => parser.once('drain', resolve));
      Promise.race([drained, failed]).then(() => done());
    },
  });
  const body = pipeline(request, meter).catch((cause) => {
    throw Object.assign(new ClientLeft(), { cause });
  });
  try {
    await Promise.race([body, idle.promise]);
    if (!signal.aborted) parser.end();
    await Promise.race([parsed, failed]);
    signal.throwIfAborted();
  } finally {
    clearTimeout(timer);
  }
}

function requestTooLarge(maxBytes: number): HttpProblem {
  return payloadTooLarge(`Expected a request of at most ${maxBytes / 1024 / 1024} MB (MAX_REQUEST_SIZE_MB).`);
}

function stoppedSending(idleMs: number): HttpProblem {
  const headers = { Connection: 'close' };
  return new HttpProblem(408, 'Request timeout', `Nothing was received for ${idleMs} ms.`, { headers });
}
