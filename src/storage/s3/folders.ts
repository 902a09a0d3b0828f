import { PutObjectCommand } from '@aws-sdk/client-s3';
import { boundedCache } from '../../bounded-cache.ts';
import { isWithin, parentOf, ROOT, type StoragePath } from '../../path.ts';
import { occupied } from '../blob-store.ts';
import type { Bucket, Conditions } from './bucket.ts';
import { deleteObjects } from './delete.ts';
import type { Keys } from './keys.ts';
import { hasObjects, listObjects } from './list.ts';
import { moveTree } from './move-tree.ts';
import { statObject } from './stat.ts';

/** Maximum number of folders cached as existing, and the age limit in ms: other nodes may remove them. */
const MAX_KNOWN = 10_000;
const KNOWN_MS = 60_000;

/**
 * Manages folders in a bucket: a folder exists when any key begins with it. Each folder that this service creates has
 * an empty object, `path/`, so that it stays when its files are deleted.
 */
export class S3Folders {
  readonly #bucket: Bucket;
  readonly #keys: Keys;
  readonly #conditions: Conditions;
  readonly #known = boundedCache<StoragePath, true>(MAX_KNOWN, KNOWN_MS);

  constructor(bucket: Bucket, keys: Keys, conditions: Conditions) {
    this.#bucket = bucket;
    this.#keys = keys;
    this.#conditions = conditions;
  }

  async exists(folder: StoragePath): Promise<boolean> {
    return folder === ROOT || hasObjects(this.#bucket, this.#keys.folder(folder));
  }

  /** Returns false when it existed. */
  async create(folder: StoragePath): Promise<boolean> {
    if (await this.exists(folder)) return false;
    await this.ensure(folder);
    return true;
  }

  /** Creates a folder and its parents where they are missing. @throws BlobConflict when there is a file of that name */
  async ensure(folder: StoragePath): Promise<void> {
    const missing: StoragePath[] = [];
    for (let one = folder; one !== ROOT && !this.#known.has(one); one = parentOf(one)) missing.push(one);
    await Promise.all(missing.map((one) => this.#refuseFile(one)));
    await Promise.all(missing.map((one) => this.#createMarker(one)));
    for (const one of missing) this.#known.set(one, true);
  }

  /** Moves the contents of a folder, as `moveTree`. */
  async move(from: StoragePath, to: StoragePath): Promise<void> {
    await moveTree(this.#bucket, this.#keys.folder(from), this.#keys.folder(to), this.#conditions);
    this.invalidate(from);
  }

  /** Returns false for a missing folder. */
  async remove(folder: StoragePath): Promise<boolean> {
    if (!(await this.exists(folder))) return false;
    this.invalidate(folder);
    await deleteObjects(this.#bucket, listObjects(this.#bucket, this.#keys.folder(folder)));
    this.invalidate(folder);
    return true;
  }

  async #refuseFile(path: StoragePath): Promise<void> {
    if (await statObject(this.#bucket, this.#keys.file(path))) throw occupied('file', path);
  }

  async #createMarker(folder: StoragePath): Promise<void> {
    const marker = { Bucket: this.#bucket.name, Key: this.#keys.folder(folder), ContentLength: 0 };
    await this.#bucket.request(new PutObjectCommand({ ...marker, Body: '', ContentType: 'application/x-directory' }));
  }

  invalidate(folder: StoragePath): void {
    for (const known of [...this.#known.keys()]) if (isWithin(known, folder)) this.#known.delete(known);
  }
}
