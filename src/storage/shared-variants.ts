import { hash } from 'node:crypto';
import { open } from 'node:fs/promises';
import { Slots } from '../concurrency.ts';
import { mediaTypeOf } from '../media.ts';
import { ROOT, type StoragePath } from '../path.ts';
import { BlobExists } from './blob-store.ts';
import type { Bucket } from './s3-bucket.ts';
import { type Download, download } from './s3-download.ts';
import { deleteObjects, listObjects } from './s3-list.ts';
import { partsOfFile } from './s3-parts.ts';
import { stageUpload } from './s3-upload.ts';

interface Count {
  size: number;
  fileCount: number;
}

/** Where the totals of the shared tier survive a restart. */
export interface CacheLedger {
  /** Undefined before the first count. */
  read(): Promise<(Count & { updatedAt: Date }) | undefined>;
  /** Adds to the totals; what was removed is negative. Nothing happens before the first count. */
  add(added: Count): Promise<void>;
  replace(count: Count): Promise<void>;
}

/** The variants that lie in the bucket, for every machine that uses it. They are never evicted. */
export interface SharedVariants {
  /** One request, whether the variant is there or not. */
  open(original: StoragePath, key: string): Promise<(Download & { format: string }) | undefined>;
  /** Stores a copy of a local file, unless the variant is there already. */
  put(original: StoragePath, key: string, format: string, file: string): Promise<void>;
  /** Removes the variants of an original, or of everything in a folder; how many there were. */
  forget(path: StoragePath): Promise<number>;
  stats(): Promise<Count & { updatedAt?: Date }>;
  /** Counts by listing all of them. */
  recount(): Promise<void>;
}

export interface SharedVariantsOptions {
  bucket: Bucket;
  /** Whether the store refuses to replace an object when it is asked to. */
  hasConditions: boolean;
  ledger: CacheLedger;
}

const FOLDER = 'variants/';
const MAX_KEY_BYTES = 1024;
const UPLOADS_AT_ONCE = 8;
const MAX_WAITING = 10_000;
const MAX_WAIT_MS = 600_000;

/**
 * Variants lie below the path of their original, `variants/a/b.jpg/<key>`, so that one listing finds those of a file or of
 * a whole folder. The name has no extension, so that one request tells whether there is one; its format is metadata.
 */
export function createSharedVariants({ bucket, hasConditions, ledger }: SharedVariantsOptions): SharedVariants {
  const root = bucket.prefix + FOLDER;
  const slots = new Slots({
    size: UPLOADS_AT_ONCE,
    maxQueued: MAX_WAITING,
    maxWaitMs: MAX_WAIT_MS,
    purpose: 'variants on their way to the bucket',
  });

  /** A path that leaves no room for the name goes by its hash; only the listing of its folder does not find it. */
  function folderOf(path: StoragePath, room: number): string {
    if (path === ROOT) return root;
    const folder = `${root}${path}/`;
    return Buffer.byteLength(folder) + room <= MAX_KEY_BYTES ? folder : `${root}~${hash('sha256', path)}/`;
  }
  const keyOf = (original: StoragePath, key: string) => folderOf(original, key.length) + key;

  async function countAll(): Promise<Count> {
    const count = { size: 0, fileCount: 0 };
    for await (const { size } of listObjects(bucket, root)) {
      count.size += size;
      count.fileCount++;
    }
    return count;
  }

  return {
    async open(original, key) {
      const found = await download(bucket, keyOf(original, key), { isForUs: true });
      return found && { ...found, format: found.metadata.format ?? '' };
    },

    async put(original, key, format, file) {
      await using handle = await open(file, 'r');
      const { size } = await handle.stat();
      const upload = await stageUpload(bucket, {
        key: keyOf(original, key),
        contentType: mediaTypeOf(`x.${format}`).mime,
        metadata: { format },
        parts: partsOfFile(handle, size),
        slots,
        hasConditions,
      });
      try {
        await upload.commit({ keep: true });
        await ledger.add({ size, fileCount: 1 });
      } catch (error) {
        await upload.discard();
        // Another machine has rendered the same: both are right.
        if (!(error instanceof BlobExists)) throw error;
      }
    },

    async forget(path) {
      const { size, fileCount } = await deleteObjects(bucket, listObjects(bucket, folderOf(path, 40)));
      if (fileCount > 0) await ledger.add({ size: -size, fileCount: -fileCount });
      return fileCount;
    },

    async stats() {
      const known = await ledger.read();
      if (known) return known;
      const count = await countAll();
      await ledger.replace(count);
      return count;
    },

    recount: async () => ledger.replace(await countAll()),
  };
}
