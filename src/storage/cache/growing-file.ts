import { open } from 'node:fs/promises';
import type { ByteRange, ByteStream } from '../blob-store.ts';
import { type ByteSource, consume } from '../byte-source.ts';
import { streamFile } from '../stream-file.ts';

/** For a position further ahead than this, a separate request is faster than waiting. */
const NEAR_BYTES = 1024 * 1024;

/** A local file that is being downloaded. Readers follow it as it grows. */
export class GrowingFile {
  readonly #file: string;
  readonly #size: number;
  #length = 0;
  #failure: Error | undefined;
  #growth = Promise.withResolvers<void>();

  /** @param size bytes of the complete file */
  constructor(file: string, size: number) {
    this.#file = file;
    this.#size = size;
  }

  /** True if a part has been downloaded, or will be soon. */
  isNear({ start }: ByteRange): boolean {
    return start <= this.#length + NEAR_BYTES;
  }

  /** Writes the whole file. Readers that follow get the same failure. */
  async fill(source: ByteSource, signal: AbortSignal): Promise<void> {
    try {
      await consume(source, signal, async (chunks) => {
        await using handle = await open(this.#file, 'wx');
        for await (const chunk of chunks) {
          await handle.appendFile(chunk);
          this.#length += chunk.length;
          this.#wake();
        }
      });
      if (this.#length !== this.#size) throw new Error('The source ended before the file was whole.');
    } catch (error) {
      this.#failure = error instanceof Error ? error : new Error(String(error));
      throw error;
    } finally {
      this.#wake();
    }
  }

  /**
   * Opens the file, or a part of it, as soon as its first byte is written; the rest may follow. Once open, the file may
   * be moved or removed.
   */
  async open({ start, end }: ByteRange, signal: AbortSignal | undefined): Promise<ByteStream> {
    await this.#reach(start);
    const handle = await open(this.#file, 'r');
    const reach = (position: number) => this.#reach(position);
    return streamFile(handle, { start, end: Math.min(end, this.#size - 1) }, { signal, reach });
  }

  /** Waits for the byte at the position. */
  async #reach(position: number): Promise<void> {
    while (position >= this.#length) {
      if (this.#failure) throw this.#failure;
      await this.#growth.promise;
    }
  }

  #wake(): void {
    this.#growth.resolve();
    this.#growth = Promise.withResolvers();
  }
}
