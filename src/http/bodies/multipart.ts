import type { IncomingMessage } from 'node:http';
import { Readable, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Dicer } from '@fastify/busboy';
import { badRequest, HttpProblem } from '../../errors.ts';
import { ClientLeft } from '../transport/send.ts';
import { FormFiles, type ReceivedFile } from './form-files.ts';
import { MinimumRate, type RateLimits, requestTooLarge } from './minimum-rate.ts';
import { decode, type PartHeaders, readParameters, readPartHeaders, sizeOfHeaders } from './part-headers.ts';
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
  maxFileSetting: string;
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
/** Parsed slices of a part that wait for the disk before the client is paused. */
const WAITING_SLICES = 4;

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
  readonly #parser: Dicer;
  /** Aborts when the rest of the body is not needed any more. */
  readonly #dropped = new AbortController();
  /** Rejects when waiting for the rest of the body is pointless. */
  readonly #ended = Promise.withResolvers<never>();
  /** True when the last boundary has been parsed, and all parts before it. */
  #isParsed = false;
  /** Number of parts so far. */
  #parts = 0;
  #fileParts = 0;
  #fieldParts = 0;
  #fieldBytes = 0;
  /** Resolves when all parts have been received except the last, which may need more of the body. */
  #earlier = Promise.resolve();
  /** Resolves when all parts have been received. */
  #received = Promise.resolve();
  /** True while the newest part holds as many bytes as it should. */
  #isFull = false;
  /** Ends the wait for the parser, or for the reader of the newest part. */
  #wake: () => void = () => undefined;

  constructor(request: IncomingMessage, options: FormOptions) {
    this.#options = options;
    this.#parser = createParser(request);
    this.files = new FormFiles({ ...options, signal: this.#dropped.signal });
    this.#ended.promise.catch(() => undefined);
    this.#dropped.signal.addEventListener('abort', () => this.#wake());
    this.#listen();
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
      await Promise.race([this.#finish(), this.#ended.promise]);
      signal.throwIfAborted();
    } finally {
      rate.stop();
    }
  }

  #listen(): void {
    const maxParts = this.#options.maxFiles + MAX_FIELDS;
    this.#parser.on('part', (part) => {
      // The rest of this body is dropped.
      if (this.#dropped.signal.aborted) return;
      this.#parts++;
      if (this.#parts > maxParts) {
        return this.#end(badRequest('Expected fewer parts, and each a field or a file.', 'too_many_items'));
      }
      // A truncated body emits the error on its last part too, even if that has no reader.
      part.on('error', () => undefined);
      part.once('header', (headers) => this.#queue(this.#bodyOf(part), headers));
    });
    this.#parser.on('finish', () => {
      this.#isParsed = true;
      this.#wake();
    });
    this.#parser.on('error', (cause) =>
      this.drop(new HttpProblem('malformed_body', 'The multipart body is malformed.', { cause })),
    );
  }

  /**
   * Takes the bytes of a part from the parser as they come. If they waited there, the parser would pause, and it may
   * leave a write unanswered for ever when a part ends meanwhile.
   */
  #bodyOf(part: Dicer.PartStream): Readable {
    const proceed = () => {
      this.#isFull = false;
      this.#wake();
    };
    // Each chunk as it is: a stream of bytes copies those that wait into one.
    const body = new Readable({ objectMode: true, highWaterMark: WAITING_SLICES, read: proceed });
    part.on('data', (chunk: Buffer) => {
      this.#isFull = !body.push(chunk);
    });
    part.once('end', () => {
      body.push(null);
      // No more is requested from it, and the next part waits for it.
      proceed();
    });
    return body;
  }

  /** Receives a part after those before it: a file may depend on the fields before it. */
  #queue(part: Readable, headers: object): void {
    this.#earlier = this.#received;
    this.#received = this.#earlier.then(() => this.#receive(part, headers)).catch((error) => this.#end(error));
  }

  async #receive(part: Readable, headers: object): Promise<void> {
    if (this.#dropped.signal.aborted) return;
    if (sizeOfHeaders(headers) > MAX_HEADER_BYTES) {
      throw badRequest(`Expected at most ${MAX_HEADER_BYTES} bytes in the headers of a part.`, 'too_many_items');
    }
    const about = readPartHeaders(headers);
    if (about === undefined) part.resume();
    else if (about.isFile) await this.#receiveFile(part, about);
    else await this.#receiveField(part, about);
  }

  async #receiveFile(part: Readable, { field, fileName, declaredType }: PartHeaders): Promise<void> {
    const { maxFiles } = this.#options;
    this.#fileParts++;
    if (this.#fileParts > maxFiles) {
      throw badRequest(`Expected at most ${maxFiles} files in a request (MAX_FILES_PER_UPLOAD).`, 'too_many_items');
    }
    if (field !== 'files' && field !== 'files[]') {
      throw badRequest(`Expected files in the field "files", received "${field}".`, 'validation_failed');
    }
    this.#options.onFile?.(this.fields);
    await this.files.add(part, { name: fileName, declaredType });
  }

  async #receiveField(part: Readable, { field, charset }: PartHeaders): Promise<void> {
    this.#fieldParts++;
    if (this.#fieldParts > MAX_FIELDS) {
      throw badRequest(`Expected at most ${MAX_FIELDS} fields in a request.`, 'too_many_items');
    }
    let bytes = '';
    part.on('data', (chunk: Buffer) => {
      if (bytes.length <= MAX_FIELD_BYTES) bytes += chunk.toString('latin1');
    });
    await new Promise((resolve) => part.once('end', resolve));
    if (bytes.length > MAX_FIELD_BYTES) {
      throw badRequest(`Expected at most ${MAX_FIELD_BYTES} bytes in the field "${field}".`, 'too_many_items');
    }
    this.#addField(field, decode(bytes, charset));
  }

  #addField(name: string, value: string): void {
    this.#fieldBytes += Buffer.byteLength(value);
    if (this.#fieldBytes > MAX_FIELDS_BYTES) {
      throw badRequest(`Expected at most ${MAX_FIELDS_BYTES} bytes in all fields together.`, 'too_many_items');
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
    for (let at = 0; at < chunk.length && !this.#isOver(); at += SLICE_BYTES) {
      const before = this.#received;
      await this.#untilOver((done) => this.#parser.write(chunk.subarray(at, at + SLICE_BYTES), done));
      while (this.#isFull && !this.#isOver()) await this.#untilOver(() => undefined);
      if (this.#received === before) continue;
      await this.#earlier;
      await nextTurn();
    }
  }

  async #finish(): Promise<void> {
    if (!this.#isOver()) await this.#untilOver(() => this.#parser.end());
    if (!this.#dropped.signal.aborted) await this.#received;
  }

  /** True when the rest of the body does not matter. */
  #isOver(): boolean {
    return this.#isParsed || this.#dropped.signal.aborted;
  }

  /** Resolves when the work is done or the rest of the body does not matter. */
  #untilOver(work: (done: () => void) => void): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
      work(resolve);
    });
  }
}

function createParser(request: IncomingMessage): Dicer {
  const contentType = request.headers['content-type'] ?? '';
  if (!/^multipart\/form-data\b/i.test(contentType)) {
    const message = `Expected a body of type multipart/form-data, received ${contentType || 'no type'}.`;
    throw badRequest(message, 'malformed_body');
  }
  try {
    return new Dicer({ boundary: readParameters(contentType).get('boundary'), maxHeaderPairs: MAX_HEADER_PAIRS });
  } catch (cause) {
    throw new HttpProblem('malformed_body', 'Expected multipart/form-data with a boundary.', { cause });
  }
}
