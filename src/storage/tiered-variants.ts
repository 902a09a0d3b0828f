import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { SingleFlight } from '../concurrency.ts';
import type { Log } from '../log.ts';
import type { StoragePath } from '../path.ts';
import { saveSource } from './disk-write.ts';
import type { SharedVariants } from './shared-variants.ts';
import type { Variant, VariantStore } from './variants.ts';

export interface TieredVariantsOptions {
  /** The variants of this machine: its memory and its disk. */
  local: VariantStore;
  shared: SharedVariants;
  temp: string;
  log: Log;
}

/**
 * The variant cache of a service on a bucket: the local one is near and bounded, the one in the bucket lasts and is shared by
 * several machines. What is found locally makes no request to the bucket; what is found in the bucket makes one.
 */
export function createTieredVariants({ local, shared, temp, log }: TieredVariantsOptions): VariantStore {
  const fetching = new SingleFlight<Variant | undefined>();
  // What was fetched while something was forgotten may be what was forgotten.
  let forgets = 0;

  async function fetch(original: StoragePath, key: string): Promise<Variant | undefined> {
    const before = forgets;
    const found = await shared.open(original, key);
    if (!found) return undefined;
    const file = join(temp, randomUUID());
    try {
      await saveSource(found.stream, file);
      return before === forgets ? await local.put(original, key, found.format, file) : undefined;
    } finally {
      await rm(file, { force: true });
    }
  }

  return {
    peek: local.peek,
    async get(original, key, formats) {
      return (await local.get(original, key, formats)) ?? fetching.run(key, undefined, () => fetch(original, key));
    },
    async put(original, key, format, file) {
      // Before the local cache takes the file over. Without its copy in the bucket it is a variant all the same, which
      // another machine, or this one when it was evicted, renders again.
      await shared
        .put(original, key, format, file)
        .catch((err) => log.warn({ err }, 'variant not stored in the bucket'));
      return local.put(original, key, format, file);
    },
    forget(original) {
      forgets++;
      return local.forget(original);
    },
    async forgetShared(path) {
      forgets++;
      return (await local.forgetShared(path)) + (await shared.forget(path));
    },
    clear() {
      forgets++;
      return local.clear();
    },
    async stats() {
      const [near, far] = await Promise.all([local.stats(), shared.stats()]);
      return { ...far, size: near.size + far.size, fileCount: near.fileCount + far.fileCount };
    },
    recount: () => shared.recount(),
    close: () => local.close(),
  };
}
