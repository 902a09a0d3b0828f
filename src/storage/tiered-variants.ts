import { FarVariants, type FarVariantsOptions } from './far-variants.ts';
import type { VariantStore } from './variants.ts';

/**
 * The variant cache of a service on a bucket: the local one is near and bounded, the one in the bucket lasts and is shared by
 * several machines. What is found locally makes no request to the bucket; what is found in the bucket makes one.
 */
export function createTieredVariants(options: FarVariantsOptions): VariantStore {
  const { local, shared, log } = options;
  const far = new FarVariants(options);

  return {
    peek: local.peek,
    async get(original, key, formats) {
      return (await local.get(original, key, formats)) ?? far.get(original, key);
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
      far.forget();
      return local.forget(original);
    },
    async forgetShared(path) {
      far.forget();
      return (await local.forgetShared(path)) + (await shared.forget(path));
    },
    clear() {
      far.forget();
      return local.clear();
    },
    async stats() {
      const [here, there] = await Promise.all([local.stats(), shared.stats()]);
      return { ...there, size: here.size + there.size, fileCount: here.fileCount + there.fileCount };
    },
    recount: () => shared.recount(),
    async close() {
      await far.close();
      await local.close();
    },
  };
}
