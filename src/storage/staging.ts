import { randomUUID } from 'node:crypto';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { SingleFlight } from '../concurrency.ts';

export interface StagingOptions {
  /** A separate folder, created when needed. It has to be empty at the start. */
  directory: string;
  /** Unused files are retained up to this many bytes; the least recently used are evicted first. */
  maxBytes: number;
}

/** Fetches the bytes into a new local file. After a failure the file may exist in part. */
export type Fetch = (file: string, signal: AbortSignal) => Promise<void>;

interface StagedFile {
  file: string;
  size: number;
  users: number;
}

/** Caches local copies of remote files, for programs that need a file. */
export class Staging {
  readonly #options: StagingOptions;
  /** The least recently used comes first. */
  readonly #files = new Map<string, StagedFile>();
  readonly #fetching = new SingleFlight<StagedFile>();
  #bytes = 0;

  constructor(options: StagingOptions) {
    this.#options = options;
  }

  /**
   * Runs `use` with a local copy, which exists as long as `use` runs, and often longer.
   * @param key names one version of one remote file
   */
  async use<T>(
    { key, size, fetch }: { key: string; size: number; fetch: Fetch },
    use: (file: string) => Promise<T>,
    signal?: AbortSignal,
  ): Promise<T> {
    const staged = await this.#acquire(key, size, fetch, signal);
    try {
      return await use(staged.file);
    } finally {
      staged.users--;
      await this.#evict();
    }
  }

  /** Returns the size of a cached copy; undefined for a missing one. */
  sizeOf(key: string): number | undefined {
    return this.#files.get(key)?.size;
  }

  /**
   * Counts the caller as a user in the same step in which the file is found, so that it cannot be evicted in between.
   */
  async #acquire(key: string, size: number, fetch: Fetch, signal: AbortSignal | undefined): Promise<StagedFile> {
    for (;;) {
      const found =
        this.#files.get(key) ??
        (await this.#fetching.run(key, signal, (shared) => this.#fetch(key, size, fetch, shared)));
      if (this.#files.get(key) !== found) continue;
      found.users++;
      this.#files.delete(key);
      this.#files.set(key, found);
      return found;
    }
  }

  async #fetch(key: string, size: number, fetch: Fetch, signal: AbortSignal): Promise<StagedFile> {
    const { directory } = this.#options;
    await mkdir(directory, { recursive: true });
    const file = join(directory, randomUUID());
    try {
      await fetch(file, signal);
      signal.throwIfAborted();
    } catch (error) {
      await rm(file, { force: true });
      throw error;
    }
    const staged = { file, size, users: 0 };
    this.#files.set(key, staged);
    this.#bytes += size;
    return staged;
  }

  async #evict(): Promise<void> {
    const doomed: string[] = [];
    for (const [key, { file, size, users }] of this.#files) {
      if (this.#bytes <= this.#options.maxBytes) break;
      if (users > 0) continue;
      this.#files.delete(key);
      this.#bytes -= size;
      doomed.push(file);
    }
    await Promise.all(doomed.map((file) => rm(file, { force: true })));
  }
}
