import type { FileHandle } from 'node:fs/promises';
import { SingleFlight, Slots } from '../../concurrency.ts';
import { mediaTypeOf } from '../../media.ts';
import { isWithin, ROOT, type StoragePath } from '../../path.ts';
import { BlobExists, BlobNotFound, type ByteRange, type ByteStream } from '../blob-store.ts';
import type { OpenVariant, SharedVariants } from '../cache/shared-variants.ts';
import { NO_USAGE, sumOf, type Usage, usageOf } from '../usage.ts';
import type { UsageCounter } from '../usage-counter.ts';
import type { Bucket, Conditions } from './bucket.ts';
import { deleteObjects } from './delete.ts';
import { download } from './download.ts';
import { type ListedObject, listObjects } from './list.ts';
import { variantPrefix } from './variant-prefix.ts';
import { stageFile } from './whole-file.ts';

export interface BucketVariantsOptions extends Conditions {
  bucket: Bucket;
  usageCounter: UsageCounter;
}

/**
 * Stores variants below the path of their original, `variants/a/b.jpg/<key>`, so that one listing finds those of a file
 * or of a whole folder. The name has no extension, so that one request finds a variant in any format; the format is
 * metadata.
 */
export function createBucketVariants(options: BucketVariantsOptions): SharedVariants {
  const variants = new BucketVariants(options);
  // Runs in the background. After a failure, the first request for the figures recalculates them.
  void variants.stats().catch(() => undefined);
  return variants;
}

class BucketVariants implements SharedVariants {
  readonly #bucket: Bucket;
  readonly #conditions: Conditions;
  readonly #usageCounter: UsageCounter;
  readonly #root: string;
  readonly #recalculations = new SingleFlight<void>();
  /** Changes in progress. */
  readonly #changes = new Set<{ path: StoragePath; done: Promise<unknown> }>();
  readonly #slots = new Slots({
    size: 8,
    maxQueued: 10_000,
    maxWaitMs: 600_000,
    purpose: 'variants on their way to the bucket',
  });

  constructor({ bucket, usageCounter, ...conditions }: BucketVariantsOptions) {
    this.#bucket = bucket;
    this.#conditions = conditions;
    this.#usageCounter = usageCounter;
    this.#root = `${bucket.prefix}variants/`;
  }

  async open(original: StoragePath, key: string): Promise<OpenVariant | undefined> {
    const found = await download(this.#bucket, this.#keyOf(original, key), { isForUs: true });
    return found && { ...found, format: found.metadata.format ?? '' };
  }

  async read(original: StoragePath, key: string, range?: ByteRange, signal?: AbortSignal): Promise<ByteStream> {
    const options = { ...(range && { range }), ...(signal && { signal }) };
    const found = await download(this.#bucket, this.#keyOf(original, key), options);
    if (!found) throw new BlobNotFound((quoted) => `A variant of ${quoted} is missing.`, { paths: [original] });
    return found.stream;
  }

  put(original: StoragePath, key: string, format: string, handle: FileHandle, signal?: AbortSignal): Promise<void> {
    return this.#change(original, async () => {
      const { size } = await handle.stat();
      const upload = await stageFile(this.#bucket, {
        key: this.#keyOf(original, key),
        contentType: mediaTypeOf(`x.${format}`).mime,
        metadata: { format },
        slots: this.#slots,
        ...this.#conditions,
        handle,
        size,
        signal,
        keep: true,
      });
      try {
        await upload.commit({ keep: true });
      } catch (error) {
        await upload.discard();
        if (!(error instanceof BlobExists)) throw error;
        // Another node has rendered the same variant. Both are valid.
        return;
      }
      this.#usageCounter.add({ size, fileCount: 1 });
    });
  }

  async evict(path: StoragePath): Promise<number> {
    // Otherwise a variant that was rendered before its original was deleted, and is still being stored, would stay
    // permanently.
    await this.#settled(path);
    return this.#change(path, () => this.#remove(path));
  }

  usageOf(path: StoragePath): Promise<Usage> {
    return usageOf(listObjects(this.#bucket, variantPrefix(this.#root, path)));
  }

  async stats(): Promise<Usage> {
    const known = await this.#usageCounter.read();
    if (known) return known;
    await this.recount();
    return this.usage();
  }

  async usage(): Promise<Usage> {
    return (await this.#usageCounter.read()) ?? NO_USAGE;
  }

  recount(): Promise<void> {
    return this.#recalculations.run('all', undefined, async () => {
      // A change in progress may be listed before it is counted.
      await this.#settled();
      await this.#usageCounter.recalculate(() => usageOf(listObjects(this.#bucket, this.#root)));
    });
  }

  close(): Promise<void> {
    return this.#usageCounter.close();
  }

  async #remove(path: StoragePath): Promise<number> {
    let deleted = NO_USAGE;
    const onDeleted = (batch: readonly ListedObject[]) => {
      for (const { size } of batch) deleted = sumOf(deleted, { size, fileCount: 1 });
    };
    try {
      await deleteObjects(this.#bucket, listObjects(this.#bucket, variantPrefix(this.#root, path)), { onDeleted });
    } finally {
      if (deleted.fileCount > 0) this.#usageCounter.add({ size: -deleted.size, fileCount: -deleted.fileCount });
    }
    return deleted.fileCount;
  }

  /** Waits for the changes in progress: all of them, or those at or below a path. */
  async #settled(path = ROOT): Promise<void> {
    const changes = [...this.#changes].filter((change) => isWithin(change.path, path));
    await Promise.allSettled(changes.map(({ done }) => done));
  }

  async #change<T>(path: StoragePath, work: () => Promise<T>): Promise<T> {
    const done = work();
    const change = { path, done };
    this.#changes.add(change);
    try {
      return await done;
    } finally {
      this.#changes.delete(change);
    }
  }

  #keyOf(original: StoragePath, key: string): string {
    return variantPrefix(this.#root, original) + key;
  }
}
