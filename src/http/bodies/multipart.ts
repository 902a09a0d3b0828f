import type { EventEmitter } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Busboy, type BusboyInstance } from '@fastify/busboy';
import { badRequest, HttpProblem, payloadTooLarge } from '../../errors.ts';
import { ClientLeft } from '../transport/send.ts';
import { FormFiles, type ReceivedFile } from './form-files.ts';
import { Pace, type PaceLimits } from './pace.ts';
import type { Room } from './upload-room.ts';

export type FormFields = ReadonlyMap<string, readonly string[]>;

export interface ReceivedForm {
  files: ReceivedFile[];
  fields: FormFields;
  /** Removes the temporary files that nobody took. */
  discard(): Promise<void>;
}

export interface FormOptions extends PaceLimits {
  temp: string;
  maxFileBytes: number;
  maxFiles: number;
  room: Room;
  /** Told of the fields that came before each file. What it throws ends the form. */
  onFile?(fields: FormFields): void;
}

/** How long a client may pause in the middle of a form. */
export const FORM_IDLE_MS = 60_000;

const MAX_FIELDS = 2000;
const MAX_FIELD_BYTES = 64 * 1024;
/** Of all fields together, because they are held in memory. */
const MAX_FIELDS_BYTES = 2 * 1024 * 1024;
/** Of one part. */
const MAX_HEADER_BYTES = 16 * 1024;
const MAX_HEADER_PAIRS = 32;

/** So much is parsed at a time: a thousand parts take some milliseconds, in which nothing else runs. */
const SLICE_BYTES = 16 * 1024;

/**
 * Receives a multipart form in constant memory: file parts go to temporary files as they arrive. What is over a limit of the
 * form's parts, of the room or of time ends the form at once, while its body may still be on its way.
 * @throws HttpProblem 400 for what is no multipart form or has too many parts; 413 for a request over the limit and 400 for a
 * broken form, both read to their end first, so that the client hears of it; 408 for a client that stops sending or is too
 * slow; 503 without room; what `onFile` throws; ClientLeft
 */
export async function receiveForm(request: IncomingMessage, options: FormOptions): Promise<ReceivedForm> {
  const reception = new Reception(request, options);
  try {
    await reception.read(request);
    const files = await reception.files.all();
    return { files, fields: reception.fields, discard: () => reception.files.discard() };
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
  readonly #parts: PartWatch;
  readonly #parsed: Promise<void>;
  /** Aborts when nothing more of the form is wanted. */
  readonly #dropped = new AbortController();
  /** Rejects when the rest of the body is not to be waited for. */
  readonly #ended = Promise.withResolvers<never>();
  #fieldBytes = 0;
  /** Ends the wait for the parser. */
  #wake: () => void = () => undefined;

  constructor(request: IncomingMessage, options: FormOptions) {
    this.#options = options;
    this.#parser = createParser(request, options);
    this.#parts = watchParts(this.#parser);
    this.#parsed = new Promise((resolve) => this.#parser.once('finish', resolve));
    this.files = new FormFiles({ ...options, signal: this.#dropped.signal });
    this.#ended.promise.catch(() => undefined);
    this.#dropped.signal.addEventListener('abort', () => this.#wake());
    this.#listen(options.maxFiles);
  }

  /** From here on what comes is read and dropped. */
  drop(error: unknown): void {
    this.#dropped.abort(error);
  }

  async read(request: IncomingMessage): Promise<void> {
    const { signal } = this.#dropped;
    const { maxRequestBytes } = this.#options;
    const pace = new Pace(this.#options);
    let received = 0;
    const meter = new Writable({
      write: (chunk: Buffer, _encoding, done) => {
        pace.receive(chunk.length);
        received += chunk.length;
        if (received > maxRequestBytes) this.drop(requestTooLarge(maxRequestBytes));
        this.#parse(chunk).then(() => done(), done);
      },
    });
    const body = pipeline(request, meter).catch((cause) => {
      throw Object.assign(new ClientLeft(), { cause });
    });
    // Where the rest is not waited for, it may still break off.
    body.catch(() => undefined);
    try {
      await Promise.race([body, pace.tooSlow, this.#ended.promise]);
      if (!signal.aborted) await Promise.race([this.#finish(), this.#ended.promise]);
      signal.throwIfAborted();
    } finally {
      pace.stop();
    }
  }

  #listen(maxFiles: number): void {
    this.#parser.on('file', (field, stream, name, _encoding, type) => {
      // Those of a form that is not wanted any more.
      if (this.#dropped.signal.aborted) return;
      if (field !== 'files' && field !== 'files[]') {
        return this.#end(badRequest(`Expected files in the field "files", received "${field}".`));
      }
      try {
        this.#options.onFile?.(this.fields);
      } catch (error) {
        return this.#end(error);
      }
      const about = { name: unescapeName(name ?? ''), declaredType: this.#parts.isTypeDeclared ? type : '' };
      this.files.add(stream, about).catch((error) => this.#end(error));
    });
    this.#parser.on('field', (name, value, _isNameCut, isValueCut) => {
      if (isValueCut) this.#end(badRequest(`Expected at most ${MAX_FIELD_BYTES} bytes in the field "${name}".`));
      this.#addField(name, value);
    });
    this.#parser.on('filesLimit', () =>
      this.#end(badRequest(`Expected at most ${maxFiles} files in a request (MAX_FILES_PER_UPLOAD).`)),
    );
    this.#parser.on('fieldsLimit', () => this.#end(badRequest(`Expected at most ${MAX_FIELDS} fields in a request.`)));
    this.#parser.on('partsLimit', () => this.#end(badRequest('Expected fewer parts, and each a field or a file.')));
    this.#parser.on('error', (cause: Error) =>
      this.drop(new HttpProblem(400, 'Bad request', 'The multipart form is broken.', { cause })),
    );
  }

  #addField(name: string, value: string): void {
    this.#fieldBytes += Buffer.byteLength(value);
    if (this.#fieldBytes > MAX_FIELDS_BYTES) {
      this.#end(badRequest(`Expected at most ${MAX_FIELDS_BYTES} bytes in all fields together.`));
      return;
    }
    const values = this.fields.get(name);
    if (values) values.push(value);
    else this.fields.set(name, [value]);
  }

  /** Neither parses nor waits for the rest. What follows from an earlier end is no news. */
  #end(error: unknown): void {
    if (this.#dropped.signal.aborted) return;
    this.drop(error);
    this.#ended.reject(error);
  }

  async #parse(chunk: Buffer): Promise<void> {
    const { signal } = this.#dropped;
    for (let at = 0; at < chunk.length && !signal.aborted; at += SLICE_BYTES) {
      const before = this.#parts.count;
      await this.#unlessDropped((done) => this.#parser.write(chunk.subarray(at, at + SLICE_BYTES), done));
      if (this.#parts.count === before) continue;
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

  /** Resolves when the work is done, or when it need not be any more. */
  #unlessDropped(work: (done: () => void) => void): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
      work(resolve);
    });
  }
}

/** Browsers escape what would end a file name in its header, and nothing else (HTML, 4.10.21.8). */
function unescapeName(name: string): string {
  return name.replaceAll('%22', '"').replaceAll('%0D', '\r').replaceAll('%0A', '\n');
}

function createParser(request: IncomingMessage, { maxFiles }: FormOptions): BusboyInstance {
  const contentType = request.headers['content-type'] ?? '';
  if (!/^multipart\/form-data\b/i.test(contentType)) {
    throw badRequest(`Expected a body of type multipart/form-data, received ${contentType || 'no type'}.`);
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
    throw new HttpProblem(400, 'Bad request', 'Expected multipart/form-data with a boundary.', { cause });
  }
}

interface PartWatch {
  /** Parts so far, also those that are neither field nor file. */
  count: number;
  /** Of the last part: without one it reaches us with the default of RFC 7578, `text/plain`; here the difference matters. */
  isTypeDeclared: boolean;
}

function watchParts(parser: BusboyInstance): PartWatch {
  const watch = { count: 0, isTypeDeclared: false };
  const { parser: dicer } = (parser as unknown as { _parser: { parser: EventEmitter } })._parser;
  dicer.prependListener('part', (part: EventEmitter) => {
    watch.count++;
    part.once('header', (header: Record<string, unknown>) => {
      watch.isTypeDeclared = header['content-type'] !== undefined;
    });
  });
  return watch;
}

function requestTooLarge(maxBytes: number): HttpProblem {
  return payloadTooLarge(`Expected a request of at most ${maxBytes / 1024 / 1024} MB (MAX_REQUEST_SIZE_MB).`);
}
