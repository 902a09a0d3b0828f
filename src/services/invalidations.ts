import { readFile, writeFile } from 'node:fs/promises';
import type { Config } from '../config.ts';
import { createInvalidationLog, type Invalidated, type InvalidationLog } from '../db/invalidation-log.ts';
import type { OpenDatabase } from '../db/schema.ts';
import { ROOT, type StoragePath } from '../path.ts';
import type { VariantStore } from '../storage/cache/variant-store.ts';

export interface InvalidationsOptions {
  log: InvalidationLog;
  /** A file of this machine, beside its near cache, which outlives a restart as well. */
  seenFile: string;
  variants: Pick<VariantStore, 'withdraw'>;
}

/**
 * Variants that have to be made again although their keys stay the same. What is forgotten when an original changes can
 * be missed: nobody asks for it any more. These are asked for as before, so a machine that was away must find out about
 * them.
 */
export class Invalidations {
  readonly #options: InvalidationsOptions;
  /** The last one that has been seen; undefined before the first look. */
  #seen: string | undefined;
  #underWay: Promise<void> | undefined;
  #isWanted = false;

  constructor(options: InvalidationsOptions) {
    this.#options = options;
  }

  /** Writes one down for all machines. @throws HttpProblem 503 when that is not possible */
  add(paths: Invalidated): Promise<void> {
    return this.#options.log.add(paths);
  }

  /** Forgets what has been invalidated since the last time. @throws HttpProblem 503 when it cannot be found out */
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

/** The invalidations that this machine has to know of; undefined where no other machine makes some. */
export function openInvalidations(
  { data }: Config,
  variants: InvalidationsOptions['variants'],
  database: OpenDatabase,
) {
  if (database.dialect === 'sqlite') return undefined;
  return new Invalidations({ log: createInvalidationLog(database.db), seenFile: data.invalidated, variants });
}
