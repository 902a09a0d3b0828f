import { readFile, writeFile } from 'node:fs/promises';
import { ROOT, type StoragePath } from '../path.ts';

/** Originals whose variants are invalid: these, or all. */
export type Invalidated = readonly string[] | 'all';

/** The last invalidations of all nodes, in their order. */
export interface SharedInvalidations {
  add(paths: Invalidated): Promise<void>;
  /** Returns the invalidations after the entry `seen`, `all` when they are unknown, and the id of the last entry. */
  since(seen: string): Promise<{ last: string; paths: Invalidated }>;
}

export interface InvalidationsOptions {
  log: SharedInvalidations;
  /** File of this node, next to its local cache, which also survives a restart. */
  seenFile: string;
  variants: { evictLocal(path: StoragePath): Promise<void> };
}

/**
 * Variants to be rendered again although their keys stay the same. Missed evictions after a change of an original do no
 * harm, because its old variants are not requested any more. These are, so a node that was unreachable must find out.
 */
export class Invalidations {
  readonly #options: InvalidationsOptions;
  /** Last invalidation seen; undefined before the first check. */
  #seen: string | undefined;
  #inProgress: Promise<void> | undefined;
  #isRequested = false;

  constructor(options: InvalidationsOptions) {
    this.#options = options;
  }

  /** Records an invalidation for all nodes. @throws HttpProblem 503 when that is not possible */
  add(paths: Invalidated): Promise<void> {
    return this.#options.log.add(paths);
  }

  /** Evicts variants invalidated since the last check. @throws HttpProblem 503 when they cannot be read */
  catchUp(): Promise<void> {
    this.#isRequested = true;
    this.#inProgress ??= this.#catchUp();
    return this.#inProgress;
  }

  async #catchUp(): Promise<void> {
    try {
      while (this.#isRequested) {
        this.#isRequested = false;
        await this.#evictMissed();
      }
    } finally {
      this.#inProgress = undefined;
    }
  }

  async #evictMissed(): Promise<void> {
    const { log, seenFile, variants } = this.#options;
    this.#seen ??= await readFile(seenFile, 'utf8').catch(() => '');
    const { last, paths } = await log.since(this.#seen);
    if (last === this.#seen) return;
    for (const path of paths === 'all' ? [ROOT] : paths) await variants.evictLocal(path as StoragePath);
    this.#seen = last;
    // Without the file the next start empties the local cache.
    await writeFile(seenFile, last).catch(() => undefined);
  }
}
