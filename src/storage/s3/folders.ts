import { PutObjectCommand } from '@aws-sdk/client-s3';
import { LRUCache } from 'lru-cache';
import { mediaTypeOf } from '../../media.ts';
import { isWithin, parentOf, quote, ROOT, type StoragePath } from '../../path.ts';
import { BlobConflict } from '../blob-store.ts';
import { inParallel } from '../in-parallel.ts';
import type { Bucket } from './bucket.ts';
import { copyObject } from './copy.ts';
import { deleteObjects, Versions } from './delete.ts';
import type { Keys } from './keys.ts';
import { hasObjects, type ListedObject, listObjects } from './list.ts';
import type { Conditions } from './start.ts';
import { statObject } from './stat.ts';

/** How many folders are known to have been made, and for how long that is believed: others may remove them. */
const MAX_KNOWN = 10_000;
const KNOWN_MS = 60_000;

const COPIES_AT_ONCE = 32;

/**
 * Folders in a bucket: a folder exists when any key lies below it. Each folder that this service makes has an empty object
 * of its own, `path/`, so that it stays when its files go.
 */
export class S3Folders {
  readonly #bucket: Bucket;
  readonly #keys: Keys;
  readonly #conditions: Conditions;
  readonly #known = new LRUCache<StoragePath, true>({ max: MAX_KNOWN, ttl: KNOWN_MS });

  constructor(bucket: Bucket, keys: Keys, conditions: Conditions) {
    this.#bucket = bucket;
    this.#keys = keys;
    this.#conditions = conditions;
  }

  async exists(folder: StoragePath): Promise<boolean> {
    return folder === ROOT || hasObjects(this.#bucket, this.#keys.folder(folder));
  }

  /** Makes a folder and its parents where they are missing. @throws BlobConflict when a file stands in the way */
  async ensure(folder: StoragePath): Promise<void> {
    const missing: StoragePath[] = [];
    for (let one = folder; one !== ROOT && !this.#known.has(one); one = parentOf(one)) missing.push(one);
    await Promise.all(missing.map((one) => this.#refuseFile(one)));
    await Promise.all(missing.map((one) => this.#mark(one)));
    for (const one of missing) this.#known.set(one, true);
  }

  /**
   * Copies all that is in a folder, then removes it where it was. What fails on the way leaves the old folder whole. What other
   * machines put into either folder meanwhile stays: only the versions that were copied are removed, and only copies.
   */
  async move(from: StoragePath, to: StoragePath): Promise<void> {
    const [old, fresh] = [this.#keys.folder(from), this.#keys.folder(to)];
    const [copied, copies] = [new Versions(), new Versions()];
    try {
      await inParallel(listObjects(this.#bucket, old), COPIES_AT_ONCE, async (object) => {
        const copy = { ...object, key: fresh + object.key.slice(old.length) };
        // Where the answer is lost, the copy has the same ETag as a rule.
        copies.add(copy);
        copies.add({ ...copy, etag: await this.#copy(object, copy.key) });
        copied.add(object);
      });
    } catch (error) {
      await this.#delete(fresh, copies).catch(() => undefined);
      throw error;
    }
    await this.#delete(old, copied);
    this.#forget(from);
  }

  async remove(folder: StoragePath): Promise<void> {
    this.#forget(folder);
    await deleteObjects(this.#bucket, listObjects(this.#bucket, this.#keys.folder(folder)));
    this.#forget(folder);
  }

  async #refuseFile(path: StoragePath): Promise<void> {
    if (await statObject(this.#bucket, this.#keys.file(path)))
      throw new BlobConflict(`A file stands at ${quote(path)}.`);
  }

  async #mark(folder: StoragePath): Promise<void> {
    const marker = { Bucket: this.#bucket.name, Key: this.#keys.folder(folder), ContentLength: 0 };
    const command = new PutObjectCommand({ ...marker, Body: '', ContentType: 'application/x-directory' });
    await this.#bucket.request((s3, options) => s3.send(command, options));
  }

  #copy(object: ListedObject, to: string): Promise<string> {
    return copyObject(this.#bucket, object, to, { contentType: mediaTypeOf(object.key).mime });
  }

  /** Deletes what is in a folder in one of these versions: as the listing shows it, and as the store finds it where it heeds that. */
  #delete(prefix: string, versions: Versions): Promise<void> {
    const isConditional = this.#conditions.hasDeleteConditions;
    return deleteObjects(this.#bucket, versions.of(listObjects(this.#bucket, prefix)), { isConditional });
  }

  #forget(folder: StoragePath): void {
    for (const known of [...this.#known.keys()]) if (isWithin(known, folder)) this.#known.delete(known);
  }
}
