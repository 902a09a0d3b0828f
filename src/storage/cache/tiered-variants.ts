import { FarVariants, type FarVariantsOptions } from './far-variants.ts';
import { VariantUploads } from './variant-uploads.ts';
import type { VariantStore } from './variants.ts';

export interface TieredVariantsOptions extends FarVariantsOptions {
  /** What may be on its way to the bucket behind the answers: so many variants, and so many bytes. */
  queue: { maxCount: number; maxBytes: number };
}

/**
 * The variant cache of a service on a bucket: the local one is near and bounded, the one in the bucket lasts and is shared by
 * several machines. What is found locally makes no request to the bucket; what is found in the bucket makes one.
 */
export function createTieredVariants(options: TieredVariantsOptions): VariantStore {
  const { local, shared, log, queue } = options;
  const far = new FarVariants(options);
  const uploads = new VariantUploads({ shared, log, ...queue });

  return {
    peek: local.peek,
    async get(original, key, formats) {
      return (await local.get(original, key, formats)) ?? far.get(original, key);
    },
    async put(original, key, format, file, { until = 'here', signal } = {}) {
      const take = () => local.put(original, key, format, file);
      if (until === 'here') return uploads.behind({ original, key, format }, file, take);
      await uploads.now({ original, key, format }, file, signal);
      return take();
    },
    forget(original) {
      far.forget();
      return local.forget(original);
    },
    async forgetShared(path) {
      far.forget();
      await uploads.forget(path);
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
    async usage() {
      const [here, there] = await Promise.all([local.usage(), shared.usage()]);
      return { size: here.size + there.size, fileCount: here.fileCount + there.fileCount };
    },
    recount: () => shared.recount(),
    settled: () => uploads.settled(),
    async close(signal) {
      await far.close();
      await uploads.close(signal);
      await local.close();
    },
  };
}
