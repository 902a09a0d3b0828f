import { close, open, read } from 'node:fs';
import { LRUCache } from 'lru-cache';

/** Maximum of files that stay open. */
const MAX_OPEN = 256;

/** A file that was not read for one to two intervals is closed. */
const SWEEP_INTERVAL_MS = 10_000;

/** Gets the bytes of the file, or undefined. */
export type TakeBytes = (bytes: Buffer | undefined) => void;

interface OpenFile {
  size: number;
  /** Undefined while it is being opened. */
  descriptor: number | undefined;
  /** Callers that wait for the read in progress; empty without one. */
  waiting: TakeBytes[];
  /** True if it was read since the last sweep. */
  isUsed: boolean;
  isClosed: boolean;
}

/**
 * Reads small files that never change. Each read is one call in a thread, because the files stay open: opening and
 * closing would cost twice as much as the rest of a response. Concurrent readers of a file share one read.
 */
export class OpenFiles {
  readonly #directory: string;
  readonly #files = new LRUCache<string, OpenFile>({ max: MAX_OPEN, dispose: (file) => release(file) });
  readonly #sweep: NodeJS.Timeout;

  /** @param directory the folder that the names are relative to */
  constructor(directory: string) {
    this.#directory = directory;
    this.#sweep = setInterval(() => this.#closeIdle(), SWEEP_INTERVAL_MS).unref();
  }

  /**
   * Reads a file of `size` bytes.
   * @param take called later; gets undefined for a file that is missing, has another size or cannot be read
   */
  read(name: string, size: number, take: TakeBytes): void {
    const known = this.#files.get(name);
    if (known?.size !== size) {
      this.#open(name, size, take);
      return;
    }
    known.isUsed = true;
    known.waiting.push(take);
    if (known.waiting.length === 1) this.#fill(name, known);
  }

  /** Closes a file that was removed or replaced. A read in progress ends first. */
  close(name: string): void {
    this.#files.delete(name);
  }

  closeBelow(folder: string): void {
    for (const name of [...this.#files.keys()]) if (name.startsWith(`${folder}/`)) this.#files.delete(name);
  }

  closeAll(): void {
    this.#files.clear();
  }

  /** Closes all files. No read follows. */
  end(): void {
    clearInterval(this.#sweep);
    this.closeAll();
  }

  #open(name: string, size: number, take: TakeBytes): void {
    const file: OpenFile = { size, descriptor: undefined, waiting: [take], isUsed: true, isClosed: false };
    this.#files.set(name, file);
    open(`${this.#directory}/${name}`, 'r', (error, descriptor) => {
      if (error) {
        this.#settle(name, file, undefined);
        return;
      }
      file.descriptor = descriptor;
      this.#fill(name, file);
    });
  }

  #fill(name: string, file: OpenFile): void {
    const { descriptor, size } = file;
    if (descriptor === undefined) return;
    // The last byte stays unread unless the file is longer.
    const bytes = Buffer.allocUnsafeSlow(size + 1);
    read(descriptor, bytes, 0, size + 1, 0, (error, bytesRead) => {
      this.#settle(name, file, !error && bytesRead === size ? bytes.subarray(0, size) : undefined);
    });
  }

  #settle(name: string, file: OpenFile, bytes: Buffer | undefined): void {
    const { waiting } = file;
    file.waiting = [];
    if (!bytes && this.#files.peek(name) === file) this.#files.delete(name);
    else if (file.isClosed) release(file);
    for (const take of waiting) take(bytes);
  }

  #closeIdle(): void {
    for (const [name, file] of [...this.#files.entries()]) {
      if (!file.isUsed && file.waiting.length === 0) this.#files.delete(name);
      file.isUsed = false;
    }
  }
}

/** Closes the file as soon as nothing is read from it. */
function release(file: OpenFile): void {
  file.isClosed = true;
  const { descriptor } = file;
  if (file.waiting.length > 0 || descriptor === undefined) return;
  file.descriptor = undefined;
  // A failure leaves nothing to do: the descriptor is invalid in any case.
  close(descriptor, () => undefined);
}
