import { SingleFlight } from '../../concurrency.ts';
import { ROOT, type StoragePath } from '../../path.ts';
import type { BlobStore } from '../../storage/blob-store.ts';
import type { Variant, VariantStore } from '../../storage/cache/variant-store.ts';
import { inParallel } from '../../storage/in-parallel.ts';
import type { Usage } from '../../storage/usage.ts';
import { translatingRefusals } from './refusals.ts';
import type { Root } from './root.ts';

/** Lifetime of the figures, in ms: counting reads the folder of each original. */
const COUNTED_MS = 60_000;

const CONCURRENCY = 8;

/**
 * View of the cache of variants for a space. Keys hold outer paths already (`VariantInput.root`), so a variant is the
 * same one for the library.
 * @param store the view of the store of the originals
 * @param now milliseconds of a monotonic clock
 */
export function rootedVariants(
  base: VariantStore,
  root: Root,
  store: Pick<BlobStore, 'walk'>,
  now = () => performance.now(),
): VariantStore {
  const { toOuter } = root;
  const counts = new SingleFlight<Usage>();
  let counted: { usage: Usage; at: number } | undefined;

  return {
    peek: (key) => base.peek(key),
    get: async (original, key, formats) => toInner(await base.get(toOuter(original), key, formats)),
    read: (file, take) => base.read(file, take),
    getAgain: async (original, key, formats) => toInner(await base.getAgain(toOuter(original), key, formats)),
    put: async (original, key, format, file, options) =>
      toInner(await base.put(toOuter(original), key, format, file, options)),
    evict: async (original) => base.evict(toOuter(original)),
    evictShared: async (path) => base.evictShared(toOuter(path)),
    async clear() {
      let cleared = 0;
      await forEachOriginal(async (original) => {
        const evicted = await base.evict(original);
        cleared += evicted;
      });
      counted = undefined;
      return cleared;
    },
    async evictLocal(path) {
      await (path === ROOT ? forEachOriginal((original) => base.evictLocal(original)) : base.evictLocal(toOuter(path)));
    },
    usageOf: async (original) => base.usageOf(toOuter(original)),
    usageWithin: async (folder, originals) => base.usageWithin(toOuter(folder), mapped(originals, toOuter)),
    stats: count,
    usage: count,
    async recount() {
      counted = undefined;
    },
    settled: (key) => base.settled(key),
    // The library closes the cache.
    close: async () => undefined,
  };

  /** Returns the figures of the space, counted at most once in their lifetime. */
  async function count(): Promise<Usage> {
    if (counted && now() - counted.at < COUNTED_MS) return counted.usage;
    return counts.run('all', undefined, async () => {
      const usage = await base.usageWithin(root.folder, outerOriginals());
      counted = { usage, at: now() };
      return usage;
    });
  }

  async function* outerOriginals(): AsyncGenerator<StoragePath> {
    for await (const { path } of store.walk(ROOT)) yield toOuter(path);
  }

  function forEachOriginal(work: (original: StoragePath) => Promise<void>): Promise<void> {
    return inParallel(outerOriginals(), CONCURRENCY, work);
  }

  function toInner<Found extends Variant | undefined>(variant: Found): Found {
    if (!variant) return variant;
    return { ...variant, open: (range, signal) => translatingRefusals(root, () => variant.open(range, signal)) };
  }
}

async function* mapped<T>(items: AsyncIterable<T>, map: (item: T) => T): AsyncGenerator<T> {
  for await (const item of items) yield map(item);
}
