import { randomUUID } from 'node:crypto';
import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { fileTooLarge } from '../../library/upload.ts';
import { removeFile } from '../../runtime/remove-file.ts';
import type { Capacity } from './upload-capacity.ts';

/** A file part, saved to a temporary file of its own. */
export interface ReceivedFile {
  /** As the client sent it; may contain separators. */
  name: string;
  declaredType: string;
  size: number;
  /** Undefined when the file was not stored: its bytes were read and dropped. */
  file: string | undefined;
  /** Reason of the refusal. */
  refusal: string | undefined;
  /** Removes the temporary file unless another owner has taken it, and releases its capacity. */
  discard(): Promise<void>;
  /** As `discard`. */
  [Symbol.asyncDispose](): Promise<void>;
}

export interface SavingOptions {
  temp: string;
  maxFileBytes: number;
  maxFileSetting: string;
  capacity: Capacity;
  signal: AbortSignal;
}

type About = Pick<ReceivedFile, 'name' | 'declaredType'>;

/** Bytes of one file that wait in memory for the disk. */
const WAITING_BYTES = 256 * 1024;

/** Files of one body. */
export class FormFiles {
  readonly #options: SavingOptions;
  readonly #begun: SavedFile[] = [];
  readonly #saving: Promise<void>[] = [];

  constructor(options: SavingOptions) {
    this.#options = options;
  }

  /** Saves a part. The caller adds the next one afterwards: of a thousand files one is open at a time. */
  add(part: Readable, about: About): Promise<void> {
    // A truncated body emits the error on its parts too, including those without a reader.
    part.on('error', () => undefined);
    const saved = new SavedFile(about, this.#options);
    this.#begun.push(saved);
    const saving = saved.fill(part);
    this.#saving.push(saving);
    return saving;
  }

  /** All files, when they are saved. */
  async all(): Promise<ReceivedFile[]> {
    await Promise.all(this.#saving);
    return this.#begun;
  }

  /** Removes the temporary files that have no other owner yet, after all writes have ended. */
  async discard(): Promise<void> {
    await Promise.allSettled(this.#saving);
    await Promise.all(this.#begun.map((saved) => saved.discard()));
  }
}

class SavedFile implements ReceivedFile {
  readonly name: string;
  readonly declaredType: string;
  size = 0;
  file: string | undefined;
  refusal: string | undefined;
  readonly #options: SavingOptions;
  /** Bytes of the upload capacity that it takes. */
  #taken = 0;

  constructor({ name, declaredType }: About, options: SavingOptions) {
    this.name = name;
    this.declaredType = declaredType;
    this.#options = options;
  }

  /** Reads a part to its end. The bytes of a refused file are dropped from the refusal on. */
  async fill(part: Readable): Promise<void> {
    const { signal, temp } = this.#options;
    signal.throwIfAborted();
    this.file = join(temp, randomUUID());
    {
      await using handle = await open(this.file, 'wx');
      // What comes while the disk writes is written in one piece.
      const sink = handle.createWriteStream({ highWaterMark: WAITING_BYTES });
      await pipeline(part, (chunks) => this.#accept(chunks, handle), sink, { signal });
    }
    if (this.refusal === undefined) return;
    await removeFile(this.file);
    this.file = undefined;
  }

  async *#accept(chunks: AsyncIterable<Buffer>, handle: FileHandle): AsyncGenerator<Buffer> {
    for await (const chunk of chunks) {
      this.size += chunk.length;
      this.refusal ??= this.#take(chunk.length);
      if (this.refusal === undefined) yield chunk;
      else if (this.#taken > 0) {
        await handle.truncate(0);
        this.#release();
      }
    }
  }

  async discard(): Promise<void> {
    const { file } = this;
    this.file = undefined;
    if (file !== undefined) await removeFile(file);
    this.#release();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.discard();
  }

  /** Undefined, or the reason why the file is refused. */
  #take(bytes: number): string | undefined {
    const { maxFileBytes, maxFileSetting, capacity } = this.#options;
    if (this.size > maxFileBytes) return fileTooLarge(maxFileBytes, maxFileSetting);
    const refusal = capacity.take(bytes);
    if (refusal === undefined) this.#taken += bytes;
    return refusal;
  }

  #release(): void {
    this.#options.capacity.give(this.#taken);
    this.#taken = 0;
  }
}
