import { readFile, writeFile } from 'node:fs/promises';
import type { Config } from '../config.ts';
import { createInvalidationLog, type Invalidated, type InvalidationLog } from '../db/invalidation-log.ts';
import type { OpenDatabase } from '../db/schema.ts';
import { ROOT, type StoragePath } from '../path.ts';
import type { VariantStore } from '../storage/cache/variant-store.ts';

export interface InvalidationsOptions {
  log: InvalidationLog;
  /** File of this node, next to its near cache, which also survives a restart. */
  seenFile: string;
  variants: Pick<VariantStore, 'withdraw'>;
}

/**
 * Variants to be rendered again although their keys stay the same. Missed evictions after a change of an original do no
 * harm, because its old variants are not requested any more. These are, so a node that was unreachable must find out.
 */
export class Invalidations {
  readonly #options: InvalidationsOptions;
  /** Last invalidation seen; undefined before the first check. */
  #seen: string | undefined;
  #underWay: Promise<void> | undefined;
  #isWanted = false;

  constructor(options: InvalidationsOptions) {
    this.#options = options;
  }

  /** Records an invalidation for all nodes. @throws HttpProblem 503 when that is not possible */
  add(paths: Invalidated): Promise<void> {
    return this.#options.log.add(paths);
  }

  /** Evicts variants invalidated since the last check. @throws HttpProblem 503 when they cannot be read */
  catchUp(): Promise<void> {
    this.#isWanted = true;
    this.#underWay ??= this.#catchUp();
    return this.#underWay;
  }

  async #catchUp(): Promise<void> {
    try {
      while (this.#isWanted) {
        this.#isWanted = false;
        await this.#look();
      }
    } finally {
      this.#underWay = undefined;
    }
  }

  async #look(): Promise<void> {
    const { log, seenFile, variants } = this.#options;
    this.#seen ??= await readFile(seenFile, 'utf8').catch(() => '');
    const { last, paths } = await log.since(this.#seen);
    if (last === this.#seen) return;
    for (const path of paths === 'all' ? [ROOT] : paths) await variants.withdraw(path as StoragePath);
    this.#seen = last;
    // Without the file the next start empties the near cache.
    await writeFile(seenFile, last).catch(() => undefined);
  }
}

/** Creates the invalidations that this node has to follow; undefined without other nodes. */
export function openInvalidations(
  { data }: Config,
  variants: InvalidationsOptions['variants'],
  database: OpenDatabase,
) {
  if (database.dialect === 'sqlite') return undefined;
  return new Invalidations({ log: createInvalidationLog(database.db), seenFile: data.invalidated, variants });
}
