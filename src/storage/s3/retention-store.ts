import { mediaTypeOf } from '../../media.ts';
import { parentOf, quote, ROOT, type StoragePath } from '../../path.ts';
import {
  type BlobEntry,
  BlobExists,
  BlobNotFound,
  type BlobStat,
  type ByteRange,
  missing,
  rootStays,
  taken,
} from '../blob-store.ts';
import { isRetainedId, type RetainedStat, type RetentionStore } from '../retention-store.ts';
import type { Bucket, Conditions } from './bucket.ts';
import { type FoundObject, findObject, isCopyOf } from './copied-version.ts';
import { copyObject } from './copy.ts';
import { deleteObject, deleteObjects, deleteVersion } from './delete.ts';
import { download } from './download.ts';
import { isMissing, isRefused } from './errors.ts';
import { createKeys, type Keys } from './keys.ts';
import { hasObjects, listFolders, listObjects, listPages, walkFiles } from './list.ts';
import { moveTree } from './move-tree.ts';
import type { OriginalsArea } from './originals-area.ts';
import { statObject } from './stat.ts';

/** A retained file is the object `attic/<id>`; the files of a folder are below `attic/<id>/`. */
const FOLDER = 'attic/';

/** Moves bytes by copies inside the bucket; removes each original only if it is still the version that was copied. */
export class S3RetentionStore implements RetentionStore {
  readonly #bucket: Bucket;
  readonly #area: OriginalsArea;
  readonly #conditions: Conditions;
  readonly #keys: Keys;

  /** @param area shared with the store of the originals */
  constructor(
    bucket: Bucket,
    area: OriginalsArea,
    { hasConditions, hasPartConditions, hasDeleteConditions }: Conditions,
  ) {
    this.#bucket = bucket;
    this.#area = area;
    this.#conditions = { hasConditions, hasPartConditions, hasDeleteConditions };
    this.#keys = createKeys(bucket.prefix + FOLDER);
  }

  async keep(path: StoragePath, id: string): Promise<void> {
    if (path === ROOT) throw rootStays();
    const { keys, folders, changes } = this.#area;
    await changes.run([path], async () => {
      const original = await findObject(this.#bucket, keys.file(path));
      if (original) {
        await this.#copy(path, original, id);
        return deleteVersion(this.#bucket, { key: keys.file(path), ...original.stat }, this.#conditions);
      }
      if (!(await folders.exists(path))) throw missing(path);
      await moveTree(this.#bucket, keys.folder(path), this.#folderKey(id), this.#conditions);
      folders.invalidate(path);
    });
  }

  async completeKeep(path: StoragePath, id: string): Promise<void> {
    const { keys, changes } = this.#area;
    await changes.run([path], async () => {
      const retained = await findObject(this.#bucket, this.#fileKey(id));
      const original = await findObject(this.#bucket, keys.file(path));
      if (!retained || !original || !isCopyOf(retained, original)) return;
      await deleteVersion(this.#bucket, { key: keys.file(path), ...original.stat }, this.#conditions);
    });
  }

  async giveBack(id: string, path: StoragePath): Promise<void> {
    const { keys, folders, changes } = this.#area;
    const file = await findObject(this.#bucket, this.#fileKey(id));
    if (!file && !(await hasObjects(this.#bucket, this.#folderKey(id)))) throw gone(id);
    await changes.run([path], async () => {
      if (path === ROOT || (await statObject(this.#bucket, keys.file(path)))) throw taken(path);
      if (await folders.exists(path)) throw new BlobExists((quoted) => `${quoted} is a folder.`, { paths: [path] });
      await folders.ensure(parentOf(path));
      if (!file) return moveTree(this.#bucket, this.#folderKey(id), keys.folder(path), this.#conditions);
      const { mime: contentType } = mediaTypeOf(path);
      const { stat, copyMetadata: metadata } = file;
      const item = { key: this.#fileKey(id), ...stat };
      await copyObject(this.#bucket, item, keys.file(path), { contentType, metadata }).catch((cause) => {
        throw isMissing(cause) || isRefused(cause) ? gone(id, cause) : cause;
      });
      await deleteObject(this.#bucket, item.key);
    });
  }

  async keepCopy(path: StoragePath, id: string): Promise<BlobStat> {
    const { keys, changes } = this.#area;
    return changes.run([path], async () => {
      const original = path === ROOT ? undefined : await findObject(this.#bucket, keys.file(path));
      if (!original) throw missing(path);
      await this.#copy(path, original, id);
      return original.stat;
    });
  }

  async open(id: string, options: { range?: ByteRange; signal?: AbortSignal } = {}) {
    const found = await download(this.#bucket, this.#fileKey(id), options);
    if (!found) throw gone(id);
    return found.stream;
  }

  async stat(id: string): Promise<RetainedStat | undefined> {
    if (!isRetainedId(id)) return undefined;
    const file = await statObject(this.#bucket, this.#fileKey(id));
    if (file) return { isFolder: false, ...file };
    return (await hasObjects(this.#bucket, this.#folderKey(id))) ? { isFolder: true } : undefined;
  }

  async isRestored(id: string, path: StoragePath): Promise<boolean> {
    if (!isRetainedId(id)) return false;
    const retained = await findObject(this.#bucket, this.#fileKey(id));
    const original = await findObject(this.#bucket, this.#area.keys.file(path));
    if (!retained || !original) return false;
    // The same bytes from elsewhere count too: another copy of them would not be missed.
    return isCopyOf(original, retained) || original.stat.etag === retained.stat.etag;
  }

  async *files(id: string): AsyncGenerator<BlobEntry> {
    const found = await this.stat(id);
    if (found?.isFolder === false) yield { ...found, path: ROOT };
    if (found?.isFolder) yield* walkFiles(this.#bucket, createKeys(this.#folderKey(id)), ROOT);
  }

  async folders(id: string): Promise<StoragePath[]> {
    return isRetainedId(id) ? listFolders(this.#bucket, createKeys(this.#folderKey(id))) : [];
  }

  async remove(id: string): Promise<boolean> {
    if (!(await this.stat(id))) return false;
    await deleteObject(this.#bucket, this.#fileKey(id));
    await deleteObjects(this.#bucket, listObjects(this.#bucket, this.#folderKey(id)));
    return true;
  }

  async *walk(): AsyncGenerator<string> {
    for await (const { objects, prefixes } of listPages(this.#bucket, this.#keys.folder(ROOT), { level: true })) {
      for (const key of [...objects.map(({ key }) => key), ...prefixes]) {
        const id = this.#keys.path(key);
        if (id !== undefined && isRetainedId(id)) yield id;
      }
    }
  }

  async #copy(path: StoragePath, { stat, copyMetadata: metadata }: FoundObject, id: string): Promise<void> {
    const source = { key: this.#area.keys.file(path), ...stat };
    const { mime: contentType } = mediaTypeOf(path);
    await copyObject(this.#bucket, source, this.#fileKey(id), { contentType, metadata }).catch((cause) => {
      throw isMissing(cause) || isRefused(cause) ? missing(path, cause) : cause;
    });
  }

  #fileKey(id: string): string {
    if (!isRetainedId(id)) throw gone(id);
    return this.#keys.file(id as StoragePath);
  }

  #folderKey(id: string): string {
    return `${this.#fileKey(id)}/`;
  }
}

function gone(id: string, cause?: unknown): BlobNotFound {
  return new BlobNotFound(`No item has the id ${quote(id)}.`, { cause });
}
