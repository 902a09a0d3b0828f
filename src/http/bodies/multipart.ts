import type { IncomingMessage } from 'node:http';
import { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Busboy, type BusboyInstance } from '@fastify/busboy';
import { badRequest, HttpProblem } from '../../errors.ts';
import { ClientLeft } from '../transport/send.ts';
import { readDeclaredTypes } from './declared-type.ts';
import { FormFiles, type ReceivedFile } from './form-files.ts';
import { MinimumRate, type RateLimits, requestTooLarge } from './minimum-rate.ts';
import type { Capacity } from './upload-capacity.ts';

export type FormFields = ReadonlyMap<string, readonly string[]>;

export interface ReceivedForm {
  files: ReceivedFile[];
  fields: FormFields;
  /** Removes the temporary files that have no other owner yet. */
  [Symbol.asyncDispose](): Promise<void>;
}

export interface FormOptions extends RateLimits {
  temp: string;
  maxFileBytes: number;
  maxFiles: number;
  capacity: Capacity;
  /** Called at each file with the fields before it. An error that it throws ends the reading. */
  onFile?(fields: FormFields): void;
}

/** Longest pause of a client within a body, in ms. */
export const FORM_IDLE_MS = 60_000;

const MAX_FIELDS = 2000;
const MAX_FIELD_BYTES = 64 * 1024;
/** For all fields together: they are held in memory. */
const MAX_FIELDS_BYTES = 2 * 1024 * 1024;
/** For one part. */
const MAX_HEADER_BYTES = 16 * 1024;
const MAX_HEADER_PAIRS = 32;

/** Bytes that are parsed at a time: a thousand parts block the event loop for some milliseconds. */
const SLICE_BYTES = 16 * 1024;

/**
 * Receives a multipart body in constant memory: file parts go to temporary files as they arrive. A body that exceeds a
 * limit of parts, capacity or time ends immediately, even while its body is still arriving.
 * @throws HttpProblem 400 for a body that is not multipart or has too many parts; 413 for a request over the limit
 * and 400 for a broken body, both after the body has been read to its end, so that the client sees the response; 408
 * for a client that stops sending or is too slow; 503 without capacity; errors of `onFile`; ClientLeft
 */
export async function receiveForm(request: IncomingMessage, options: FormOptions): Promise<ReceivedForm> {
  const reception = new Reception(request, options);
  try {
    await reception.read(request);
    const files = await reception.files.all();
    return { files, fields: reception.fields, [Symbol.asyncDispose]: () => reception.files.discard() };
  } catch (error) {
    reception.drop(error);
    await reception.files.discard();
    throw error;
  }
}

class Reception {
  readonly fields = new Map<string, string[]>();
  readonly files: FormFiles;
  readonly #options: FormOptions;
  readonly #parser: BusboyInstance;
  readonly #declaredType: (reported: string) => string;
  readonly #parsed: Promise<void>;
  /** Aborts when the rest of the body is not needed any more. */
  readonly #dropped = new AbortController();
  /** Rejects when waiting for the rest of the body is pointless. */
  readonly #ended = Promise.withResolvers<never>();
  /** Number of fields and files so far. */
  #parts = 0;
  #fieldBytes = 0;
  /** Ends the wait for the parser. */
  #wake: () => void = () => undefined;

  constructor(request: IncomingMessage, options: FormOptions) {
    this.#options = options;
    this.#parser = createParser(request, options);
    this.#declaredType = readDeclaredTypes(this.#parser);
    this.#parsed = new Promise((resolve) => this.#parser.once('finish', resolve));
    this.files = new FormFiles({ ...options, signal: this.#dropped.signal });
    this.#ended.promise.catch(() => undefined);
    this.#dropped.signal.addEventListener('abort', () => this.#wake());
    this.#listen(options.maxFiles);
  }

  /** Reads the rest of the body and drops it. */
  drop(error: unknown): void {
    this.#dropped.abort(error);
  }

  async read(request: IncomingMessage): Promise<void> {
    const { signal } = this.#dropped;
    const { maxRequestBytes } = this.#options;
    const rate = new MinimumRate(this.#options);
    const meter = new Writable({
      write: (chunk: Buffer, _encoding, done) => {
        rate.receive(chunk.length);
        if (rate.received > maxRequestBytes) this.drop(requestTooLarge(maxRequestBytes));
        this.#parse(chunk).then(() => done(), done);
      },
    });
    const body = pipeline(request, meter).catch((cause) => {
      throw new ClientLeft({ cause });
    });
    // It may still break off after the last wait for the rest.
    body.catch(() => undefined);
    try {
      await Promise.race([body, rate.tooSlow, this.#ended.promise]);
      if (!signal.aborted) await Promise.race([this.#finish(), this.#ended.promise]);
      signal.throwIfAborted();
    } finally {
      rate.stop();
    }
  }

  #listen(maxFiles: number): void {
    this.#parser.on('file', (field, stream, name, _encoding, type) => {
      this.#parts++;
      // The rest of this body is dropped.
      if (this.#dropped.signal.aborted) return;
      if (field !== 'files' && field !== 'files[]') {
        return this.#end(badRequest(`Expected files in the field "files", received "${field}".`, 'validation_failed'));
      }
      try {
        this.#options.onFile?.(this.fields);
      } catch (error) {
        return this.#end(error);
      }
      const about = { name: unescapeName(name ?? ''), declaredType: this.#declaredType(type) };
      this.files.add(stream, about).catch((error) => this.#end(error));
    });
    this.#parser.on('field', (name, value, _isNameCut, isValueCut) => {
      this.#parts++;
      if (isValueCut)
        this.#end(badRequest(`Expected at most ${MAX_FIELD_BYTES} bytes in the field "${name}".`, 'too_many_items'));
      this.#addField(name, value);
    });
    this.#parser.on('filesLimit', () =>
      this.#end(
        badRequest(`Expected at most ${maxFiles} files in a request (MAX_FILES_PER_UPLOAD).`, 'too_many_items'),
      ),
    );
    this.#parser.on('fieldsLimit', () =>
      this.#end(badRequest(`Expected at most ${MAX_FIELDS} fields in a request.`, 'too_many_items')),
    );
    this.#parser.on('partsLimit', () =>
      this.#end(badRequest('Expected fewer parts, and each a field or a file.', 'too_many_items')),
    );
    this.#parser.on('error', (cause: Error) =>
      this.drop(new HttpProblem('malformed_body', 'The multipart body is malformed.', { cause })),
    );
  }

  #addField(name: string, value: string): void {
    this.#fieldBytes += Buffer.byteLength(value);
    if (this.#fieldBytes > MAX_FIELDS_BYTES) {
      this.#end(badRequest(`Expected at most ${MAX_FIELDS_BYTES} bytes in all fields together.`, 'too_many_items'));
      return;
    }
    const values = this.fields.get(name);
    if (values) values.push(value);
    else this.fields.set(name, [value]);
  }

  /** Stops parsing and waiting for the rest. Only the first call counts: the others follow from it. */
  #end(error: unknown): void {
    if (this.#dropped.signal.aborted) return;
    this.drop(error);
    this.#ended.reject(error);
  }

  async #parse(chunk: Buffer): Promise<void> {
    const { signal } = this.#dropped;
    for (let at = 0; at < chunk.length && !signal.aborted; at += SLICE_BYTES) {
      const before = this.#parts;
      await this.#unlessDropped((done) => this.#parser.write(chunk.subarray(at, at + SLICE_BYTES), done));
      if (this.#parts === before) continue;
      await this.files.earlier();
      await nextTurn();
    }
  }

  #finish(): Promise<void> {
    return this.#unlessDropped((done) => {
      this.#parsed.then(done);
      this.#parser.end();
    });
  }

  /** Resolves when the work is done or no longer needed. */
  #unlessDropped(work: (done: () => void) => void): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
      work(resolve);
    });
  }
}

/** Browsers escape the characters that would end a file name in its header, and no others (HTML, 4.10.21.8). */
function unescapeName(name: string): string {
  return name.replaceAll('%22', '"').replaceAll('%0D', '\r').replaceAll('%0A', '\n');
}

function createParser(request: IncomingMessage, { maxFiles }: FormOptions): BusboyInstance {
  const contentType = request.headers['content-type'] ?? '';
  if (!/^multipart\/form-data\b/i.test(contentType)) {
    const message = `Expected a body of type multipart/form-data, received ${contentType || 'no type'}.`;
    throw badRequest(message, 'malformed_body');
  }
  const parts = { files: maxFiles, fields: MAX_FIELDS, parts: maxFiles + MAX_FIELDS };
  const headers = { headerSize: MAX_HEADER_BYTES, headerPairs: MAX_HEADER_PAIRS };
  try {
    return new Busboy({
      headers: { ...request.headers, 'content-type': contentType },
      preservePath: true,
      limits: { ...parts, ...headers, fieldSize: MAX_FIELD_BYTES },
    });
  } catch (cause) {
    throw new HttpProblem('malformed_body', 'Expected multipart/form-data with a boundary.', { cause });
  }
}
