import type { FileHandle } from 'node:fs/promises';
import { SingleFlight, Slots } from '../../../concurrency.ts';
import { mediaTypeOf } from '../../../media.ts';
import { isWithin, quote, ROOT, type StoragePath } from '../../../path.ts';
import { BlobExists, BlobNotFound, type ByteRange, type ByteStream } from '../../blob-store.ts';
import type { OpenVariant, SharedVariants, VariantLedger } from '../../cache/shared-variants.ts';
import { countInPeace } from '../../count-in-peace.ts';
import { sumOf, type Usage, usageOf } from '../../usage.ts';
import type { Bucket, Conditions } from '../bucket.ts';
import { deleteObjects } from '../delete.ts';
import { download } from '../download.ts';
import { type ListedObject, listObjects, listPages } from '../list.ts';
import { stageFile } from '../whole-file.ts';
import { Bookkeeping } from './bookkeeping.ts';
import { LiveCount } from './live-count.ts';
import { variantPrefix } from './variant-prefix.ts';

export interface BucketVariantsOptions extends Conditions {
  bucket: Bucket;
  ledger: VariantLedger;
}

/**
 * Variants lie below the path of their original, `variants/a/b.jpg/<key>`, so that one listing finds those of a file or of
 * a whole folder. The name has no extension, so that one request tells whether there is one; its format is metadata.
 */
export function createBucketVariants(options: BucketVariantsOptions): SharedVariants {
  const variants = new BucketVariants(options);
  // Nothing waits for it: when it fails, the first request for the figures counts again.
  void variants.countUnknown().catch(() => undefined);
  return variants;
}

class BucketVariants implements SharedVariants {
  readonly #bucket: Bucket;
  readonly #conditions: Conditions;
  readonly #ledger: VariantLedger;
  readonly #root: string;
  readonly #counting = new SingleFlight<boolean | undefined>();
  /** The changes under way. */
  readonly #changes = new Set<{ path: StoragePath; done: Promise<unknown> }>();
  readonly #slots = new Slots({
    size: 8,
    maxQueued: 10_000,
    maxWaitMs: 600_000,
    purpose: 'variants on their way to the bucket',
  });
  /** Set while all variants are being counted. */
  #live: LiveCount | undefined;
  /** Resolves when changes may begin again. */
  #held: Promise<void> | undefined;
  readonly #books: Bookkeeping;

  constructor({ bucket, ledger, ...conditions }: BucketVariantsOptions) {
    this.#bucket = bucket;
    this.#conditions = conditions;
    this.#ledger = ledger;
    this.#books = new Bookkeeping(ledger);
    this.#root = `${bucket.prefix}variants/`;
  }

  /** Counts what is unknown, until nobody disturbs the count. */
  async countUnknown(): Promise<void> {
    if (await this.#ledger.read()) return;
    const count = () => this.#counting.run('all', undefined, () => this.#tryInPeace());
    await countInPeace(count, { attempts: Number.POSITIVE_INFINITY });
  }

  async open(original: StoragePath, key: string): Promise<OpenVariant | undefined> {
    const found = await download(this.#bucket, this.#keyOf(original, key), { isForUs: true });
    return found && { ...found, format: found.metadata.format ?? '' };
  }

  async read(original: StoragePath, key: string, range?: ByteRange, signal?: AbortSignal): Promise<ByteStream> {
    const wanted = { ...(range && { range }), ...(signal && { signal }) };
    const found = await download(this.#bucket, this.#keyOf(original, key), wanted);
    if (!found) throw new BlobNotFound(`A variant of ${quote(original)} is gone.`);
    return found.stream;
  }

  put(original: StoragePath, key: string, format: string, handle: FileHandle, signal?: AbortSignal): Promise<void> {
    return this.#change(original, async (live) => {
      const { size } = await handle.stat();
      const object = { key: this.#keyOf(original, key), size };
      live?.begin(object.key);
      const upload = await stageFile(this.#bucket, {
        key: object.key,
        contentType: mediaTypeOf(`x.${format}`).mime,
        metadata: { format },
        slots: this.#slots,
        ...this.#conditions,
        ...{ handle, size, signal, keep: true },
      });
      try {
        await upload.commit({ keep: true });
      } catch (error) {
        await upload.discard();
        if (!(error instanceof BlobExists)) throw error;
        // Another machine has rendered the same variant. Both are right.
        live?.found(object);
        return;
      }
      live?.added(object);
      this.#books.add({ size, fileCount: 1 });
    });
  }

  async forget(path: StoragePath): Promise<number> {
    // Else a variant that was rendered before its original went, and is still being stored, would stay for good.
    await this.#settled(path);
    return this.#change(path, (live) => this.#forget(path, live));
  }

  usageOf(original: StoragePath): Promise<Usage> {
    return usageOf(listObjects(this.#bucket, variantPrefix(this.#root, original)));
  }

  async stats(): Promise<Usage & { updatedAt?: Date }> {
    await this.#books.pay();
    const known = await this.#ledger.read();
    // More was removed here than was stored here: other machines use the bucket too.
    if (known && known.size >= 0 && known.fileCount >= 0) return known;
    await this.recount();
    return (await this.#ledger.read()) ?? { size: 0, fileCount: 0 };
  }

  async usage(): Promise<Usage> {
    const known = await this.#ledger.read();
    const { size, fileCount } = known ? sumOf(known, this.#books.owed) : { size: 0, fileCount: 0 };
    return { size: Math.max(0, size), fileCount: Math.max(0, fileCount) };
  }

  async recount(): Promise<void> {
    const count = async () => (await countInPeace(() => this.#tryInPeace())) ?? this.#recount();
    // A count that is under way may be one that gives up.
    while (!(await this.#counting.run('all', undefined, count)));
  }

  close(): Promise<void> {
    return this.#books.close();
  }

  /** Undefined when another machine has disturbed the count. */
  async #tryInPeace(): Promise<true | undefined> {
    const mark = await this.#ledger.mark();
    return (mark !== undefined && (await this.#recount(mark))) || undefined;
  }

  async #forget(path: StoragePath, live: LiveCount | undefined): Promise<number> {
    async function* noted(objects: AsyncIterable<ListedObject>) {
      for await (const object of objects) {
        live?.begin(object.key);
        yield object;
      }
    }
    const total = { size: 0, fileCount: 0 };
    try {
      const objects = noted(listObjects(this.#bucket, variantPrefix(this.#root, path)));
      const onDeleted = (batch: readonly ListedObject[]) => {
        for (const object of batch) {
          live?.removed(object);
          total.size += object.size;
          total.fileCount++;
        }
      };
      await deleteObjects(this.#bucket, objects, { onDeleted });
    } finally {
      if (total.fileCount > 0) this.#books.add({ size: -total.size, fileCount: -total.fileCount });
    }
    return total.fileCount;
  }

  /**
   * Waits for changes that have begun before. Changes that begin later are told to the count, which waits for them at its end; those
   * that begin then wait until the count is written, so that each is either in it or added to it.
   */
  async #recount(mark?: string): Promise<boolean> {
    const live = new LiveCount();
    let held: PromiseWithResolvers<void> | undefined;
    this.#live = live;
    try {
      await this.#settled();
      for await (const { objects } of listPages(this.#bucket, this.#root)) live.pass(objects);
      live.end();
      held = Promise.withResolvers();
      this.#held = held.promise;
      await this.#settled();
      return await this.#books.replace(live.count, mark);
    } finally {
      this.#live = undefined;
      this.#held = undefined;
      held?.resolve();
    }
  }

  /** Waits for the changes that have begun: all of them, or those of everything in a path. */
  async #settled(path = ROOT): Promise<void> {
    const changes = [...this.#changes].filter((change) => isWithin(change.path, path));
    await Promise.allSettled(changes.map(({ done }) => done));
  }

  async #change<T>(path: StoragePath, work: (live: LiveCount | undefined) => Promise<T>): Promise<T> {
    while (this.#held) await this.#held;
    const live = this.#live;
    const done = this.#books.during(() => work(live));
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
