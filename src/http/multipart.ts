import { randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { Transform, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Busboy, type BusboyFileStream, type BusboyInstance } from '@fastify/busboy';
import { badRequest, HttpProblem, payloadTooLarge } from '../errors.ts';

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

const MAX_FIELDS = 2000;
const MAX_FIELD_BYTES = 64 * 1024;

/**
 * Receives a multipart form in constant memory: file parts go to temporary files as they arrive.
 * @throws HttpProblem 400 for what is no multipart form, 413 for a request over the limit (read to its end first, so
 * that the client hears of it), 408 for a client that stops sending
 */
export async function receiveForm(request: IncomingMessage, limits: MultipartLimits): Promise<ReceivedForm> {
  const parser = createParser(request, limits);
  const files: Promise<ReceivedFile>[] = [];
  const fields = new Map<string, string[]>();
  const saved = new Set<string>();
  const discard = async () => {
    await Promise.all([...saved].map((file) => rm(file, { force: true })));
  };
  let excess: HttpProblem | undefined;
  parser.on('file', (field, stream, name, _encoding, declaredType) => {
    if (field !== 'files' && field !== 'files[]')
      excess ??= badRequest(`Expected files in the field "files", received "${field}".`);
    const file = join(limits.temp, randomUUID());
    saved.add(file);
    const received = saveFile(stream, file, { name: name ?? '', declaredType });
    // Awaited below; until then a failure may not count as unhandled.
    received.catch(() => undefined);
    files.push(received);
  });
  parser.on('field', (name, value, _isNameCut, isValueCut) => {
    if (isValueCut) excess ??= badRequest(`Expected at most ${MAX_FIELD_BYTES} bytes in the field "${name}".`);
    fields.set(name, [...(fields.get(name) ?? []), value]);
  });
  parser.on('filesLimit', () => {
    excess ??= badRequest(`Expected at most ${limits.maxFiles} files in a request (MAX_FILES_PER_UPLOAD).`);
  });
  parser.on('fieldsLimit', () => {
    excess ??= badRequest(`Expected at most ${MAX_FIELDS} fields in a request.`);
  });
  try {
    await readBody(request, parser, limits);
    const form = { files: await Promise.all(files), fields, discard };
    if (excess) throw excess;
    return form;
  } catch (error) {
    await Promise.allSettled(files);
    await discard();
    throw error;
  }
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

async function saveFile(stream: BusboyFileStream, file: string, about: { name: string; declaredType: string }) {
  let size = 0;
  const count = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      size += chunk.length;
      done(null, chunk);
    },
  });
  await pipeline(stream, count, createWriteStream(file, { flags: 'wx' }));
  if (!stream.truncated) return { ...about, size, file };
  await rm(file, { force: true });
  return { ...about, size, file: undefined };
}

/** Feeds the parser; what comes after the limit of the whole request is read and dropped. */
async function readBody(
  request: IncomingMessage,
  parser: BusboyInstance,
  { maxRequestBytes, idleMs }: MultipartLimits,
) {
  let received = 0;
  const isTooLarge = () => received > maxRequestBytes;
  const timer = setTimeout(
    () => request.destroy(new HttpProblem(408, 'Request timeout', `Nothing was received for ${idleMs} ms.`)),
    idleMs,
  );
  const meter = new Writable({
    write(chunk: Buffer, _encoding, done) {
      timer.refresh();
      received += chunk.length;
      if (isTooLarge()) done();
      else if (parser.write(chunk)) done();
      else parser.once('drain', done);
    },
  });
  try {
    const parsed = new Promise<void>((resolve, reject) => {
      parser.once('finish', resolve);
      parser.once('error', (cause: Error) =>
        reject(new HttpProblem(400, 'Bad request', 'The multipart form is broken.', { cause })),
      );
    });
    parsed.catch((error) => meter.destroy(error));
    await pipeline(request, meter);
    if (isTooLarge()) {
      parser.destroy();
      throw payloadTooLarge(`Expected a request of at most ${maxRequestBytes / 1024 / 1024} MB (MAX_REQUEST_SIZE_MB).`);
    }
    parser.end();
    await parsed;
  } finally {
    clearTimeout(timer);
  }
}
