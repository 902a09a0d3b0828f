import { open, rm } from 'node:fs/promises';
import { type KeyedLock, Slots } from '../../concurrency.ts';
import { mediaTypeOf } from '../../media.ts';
import { isWithin, parentOf, ROOT, type StoragePath } from '../../path.ts';
import {
  type BlobEntry,
  BlobExists,
  type BlobStat,
  type BlobStore,
  type ByteStream,
  type FolderLevel,
  type FolderPart,
  type FreeName,
  isOutage,
  liesInside,
  missing,
  type OpenOptions,
  occupied,
  rootStays,
  taken,
  type WriteOptions,
} from '../blob-store.ts';
import { type ByteSource, consume } from '../byte-source.ts';
import { saveSource } from '../disk/write.ts';
import { openFile } from '../local-file.ts';
import { Staging, type StagingOptions } from '../staging.ts';
import type { Bucket, Conditions } from './bucket.ts';
import { copyObject } from './copy.ts';
import { deleteObject, deleteVersion } from './delete.ts';
import { download } from './download.ts';
import { isMissing, isRefused } from './errors.ts';
import type { S3Folders } from './folders.ts';
import { findFreeNames } from './free-names.ts';
import type { Keys } from './keys.ts';
import { listFolders, listLevel, scanFolder, scanFolders, walkFiles } from './list.ts';
import { createOriginalsArea, type OriginalsArea } from './originals-area.ts';
import { partsOfChunks, WHOLE_BYTES } from './parts.ts';
import { statObject } from './stat.ts';
import { type StagedUpload, stageUpload } from './upload.ts';
import { stageFile } from './whole-file.ts';

/**
 * Stores files in a bucket. This process serializes changes of one path, so that the checks before a change still hold
 * when it is applied; against other nodes `existing: 'keep'` is safe where the store supports conditions.
 */
export class S3Store implements BlobStore {
  readonly area: OriginalsArea;
  readonly #bucket: Bucket;
  readonly #conditions: Conditions;
  readonly #keys: Keys;
  readonly #folders: S3Folders;
  readonly #staging: Staging;
  readonly #changes: KeyedLock<StoragePath>;
  /** Bounds the parts of uploads in memory, of all uploads together. */
  readonly #parts = new Slots({ size: 8, maxQueued: 10_000, maxWaitMs: 600_000, purpose: 'uploads to the bucket' });

  /** @param options.staging stores local copies of originals for local programs */
  constructor({ bucket, staging, ...conditions }: Conditions & { bucket: Bucket; staging: StagingOptions }) {
    this.#bucket = bucket;
    this.#conditions = conditions;
    this.area = createOriginalsArea(bucket, conditions);
    ({ keys: this.#keys, folders: this.#folders, changes: this.#changes } = this.area);
    this.#staging = new Staging(staging);
  }

  write(path: StoragePath, source: ByteSource, options: WriteOptions = {}): Promise<BlobStat> {
    return consume(source, options.signal, async (chunks) => {
      const target = { ...this.#targetOf(path, options), parts: partsOfChunks(chunks) };
      return this.#commit(path, await stageUpload(this.#bucket, target), options);
    });
  }

  async adopt(path: StoragePath, file: string, options: WriteOptions = {}): Promise<BlobStat> {
    options.signal?.throwIfAborted();
    await using handle = await open(file, 'r');
    const { size } = await handle.stat();
    const keep = options.existing === 'keep';
    // Check first, so that a large file is not sent for a taken name.
    if (size > WHOLE_BYTES && options.seenAt !== this.#changes.ended) await this.#check(path, keep);
    const upload = await stageFile(this.#bucket, { ...this.#targetOf(path, options), handle, size, keep });
    const stat = await this.#commit(path, upload, options);
    await rm(file);
    return stat;
  }

  async *freeNames(names: Iterable<StoragePath>): AsyncGenerator<FreeName> {
    const seenAt = this.#changes.ended;
    const isTaken = async (path: StoragePath) => Boolean((await this.stat(path)) || (await this.#folders.exists(path)));
    for await (const path of findFreeNames(this.#bucket, this.#keys, names, isTaken)) yield { path, seenAt };
  }

  async stat(path: StoragePath): Promise<BlobStat | undefined> {
    return path === ROOT ? undefined : statObject(this.#bucket, this.#keys.file(path));
  }

  async open(path: StoragePath, options: OpenOptions = {}): Promise<ByteStream> {
    options.signal?.throwIfAborted();
    try {
      const found = path === ROOT ? undefined : await download(this.#bucket, this.#keys.file(path), options);
      if (found) return found.stream;
      throw missing(path);
    } catch (error) {
      const copy = this.#stagedInstead(path, options.etag, error);
      return this.#staging.use(copy, (file) => openFile(file, options.range, options.signal), options.signal);
    }
  }

  async withLocalFile<T>(
    path: StoragePath,
    use: (file: string) => Promise<T>,
    signal?: AbortSignal,
    known?: string,
  ): Promise<T> {
    signal?.throwIfAborted();
    const { etag, size } = await this.#require(path).catch((error) => this.#stagedInstead(path, known, error));
    const fetch = async (file: string, shared: AbortSignal) => {
      const found = await download(this.#bucket, this.#keys.file(path), { etag, signal: shared, isForUs: true });
      // It may also have been replaced since: the requested version is missing.
      if (!found) throw missing(path);
      await saveSource(found.stream, file, shared);
    };
    return this.#staging.use({ key: stagingKey(path, etag), size, fetch }, use, signal);
  }

  copy(from: StoragePath, to: StoragePath, options: WriteOptions = {}): Promise<BlobStat> {
    return this.#changes.run([from, to], async () => this.#copy(from, await this.#require(from), to, options));
  }

  move(from: StoragePath, to: StoragePath, options: WriteOptions = {}): Promise<BlobStat> {
    return this.#changes.run([from, to], async () => {
      const source = await this.#require(from);
      const copied = await this.#copy(from, source, to, options);
      // Another node may have replaced it meanwhile.
      if (from !== to) await deleteVersion(this.#bucket, { key: this.#keys.file(from), ...source }, this.#conditions);
      return copied;
    });
  }

  remove(path: StoragePath): Promise<boolean> {
    return this.#changes.run([path], async () => {
      if (!(await this.stat(path))) return false;
      await deleteObject(this.#bucket, this.#keys.file(path));
      return true;
    });
  }

  list(folder: StoragePath, options: { limit?: number } = {}): Promise<FolderLevel> {
    return listLevel(this.#bucket, this.#keys, folder, options.limit);
  }

  walk(folder: StoragePath): AsyncIterable<BlobEntry> {
    return walkFiles(this.#bucket, this.#keys, folder);
  }

  folders(below?: StoragePath): Promise<StoragePath[]> {
    return listFolders(this.#bucket, this.#keys, below);
  }

  folderExists(folder: StoragePath): Promise<boolean> {
    return this.#folders.exists(folder);
  }

  scan(folder: StoragePath, { isDeep = true }: { isDeep?: boolean } = {}): AsyncIterable<FolderPart> {
    return (isDeep ? scanFolders : scanFolder)(this.#bucket, this.#keys, folder);
  }

  /** A bucket has no fingerprints of folders. */
  readonly folderFingerprint = async (): Promise<undefined> => undefined;
  readonly renewFingerprint = this.folderFingerprint;

  createFolder(folder: StoragePath): Promise<boolean> {
    return this.#changes.run([folder], () => this.#folders.create(folder));
  }

  moveFolder(from: StoragePath, to: StoragePath): Promise<void> {
    return this.#changes.run([from, to], async () => {
      if (!(await this.#folders.exists(from))) throw missing(from);
      if (from !== to && isWithin(to, from)) throw liesInside(to, from);
      if ((await this.stat(to)) || (await this.#folders.exists(to))) throw taken(to);
      await this.#folders.ensure(parentOf(to));
      await this.#folders.move(from, to);
    });
  }

  async removeFolder(folder: StoragePath): Promise<boolean> {
    if (folder === ROOT) throw rootStays();
    return this.#changes.run([folder], () => this.#folders.remove(folder));
  }

  #targetOf(path: StoragePath, { signal }: WriteOptions) {
    const { mime: contentType } = mediaTypeOf(path);
    return { key: this.#keys.file(path), contentType, slots: this.#parts, signal, ...this.#conditions };
  }

  async #commit(path: StoragePath, upload: StagedUpload, options: WriteOptions): Promise<BlobStat> {
    const { existing, seenAt, signal, begin } = options;
    const keep = existing === 'keep';
    try {
      return await this.#changes.run([path], async () => {
        signal?.throwIfAborted();
        // If this process has changed nothing since the check, the path is still free here. Against other nodes the
        // store's condition helps.
        if (!upload.isConditional || seenAt !== this.#changes.ended) await this.#check(path, keep);
        await begin?.();
        await this.#folders.ensure(parentOf(path));
        await upload.commit({ keep });
        return await this.#require(path);
      });
    } catch (error) {
      await upload.discard();
      throw error instanceof BlobExists ? taken(path, error) : error;
    }
  }

  async #copy(from: StoragePath, source: BlobStat, to: StoragePath, options: WriteOptions): Promise<BlobStat> {
    const { existing, signal } = options;
    signal?.throwIfAborted();
    if (from === to && existing !== 'keep') return source;
    await this.#check(to, existing === 'keep');
    await this.#folders.ensure(parentOf(to));
    const { mime: contentType } = mediaTypeOf(to);
    const version = { key: this.#keys.file(from), ...source };
    await copyObject(this.#bucket, version, this.#keys.file(to), { contentType, signal }).catch((cause) => {
      throw isMissing(cause) || isRefused(cause) ? missing(from, cause) : cause;
    });
    return this.#require(to);
  }

  /** Checks that a file may be created at a path. @throws BlobConflict, BlobExists */
  async #check(path: StoragePath, keep: boolean): Promise<void> {
    const [isFolder, isTaken] = await Promise.all([this.#folders.exists(path), keep && this.stat(path)]);
    if (isFolder) throw occupied('folder', path);
    if (isTaken) throw taken(path);
  }

  /** Returns the local copy of a version while the bucket is unavailable. @throws the error when there is none */
  #stagedInstead(path: StoragePath, etag: string | undefined, error: unknown) {
    const key = stagingKey(path, etag);
    const size = isOutage(error) ? this.#staging.sizeOf(key) : undefined;
    if (etag === undefined || size === undefined) throw error;
    return { key, etag, size, fetch: () => Promise.reject(error) };
  }

  async #require(path: StoragePath): Promise<BlobStat> {
    const stat = await this.stat(path);
    if (stat === undefined) throw missing(path);
    return stat;
  }
}

const stagingKey = (path: StoragePath, etag: string | undefined) => JSON.stringify([path, etag]);
