import { randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { copyFile, lstat, mkdir, realpath, rename, rm, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { hasCode } from '../../errors.ts';
import { baseName, isWithin, parentOf, ROOT, type StoragePath } from '../../path.ts';
import { removeFile } from '../../runtime/remove-file.ts';
import {
  type BlobEntry,
  type BlobStat,
  type BlobStore,
  type ByteStream,
  type FolderLevel,
  type FolderPart,
  type FreeName,
  liesInside,
  type MoveRecovery,
  missing,
  type OpenOptions,
  rootStays,
  type ScanOptions,
  taken,
  type WriteOptions,
} from '../blob-store.ts';
import type { ByteSource } from '../byte-source.ts';
import { completeMove } from './complete-move.ts';
import { folderFingerprint, renewFingerprint } from './folder-fingerprint.ts';
import { listFolders, listLevel, walkFiles } from './list.ts';
import { openStored } from './open.ts';
import { findFile, isMissing, isTaken, leadsToFolder, placeIn, placeOf, resolveInside } from './resolve.ts';
import { scanFolders } from './scan.ts';
import { ensureFolder, place, removeTree, saveSource, settle, syncFolder } from './write.ts';

/**
 * Creates a store of files below the folder `root`. `temp` lies on the same file system; both are created when missing.
 * Symbolic links inside the root are followed; a walk shows a linked folder but does not enter it, so that it ends.
 * Needs a file system with hard links (for `existing: 'keep'`).
 */
export async function createDiskStore(options: {
  root: string;
  temp: string;
}): Promise<BlobStore & Required<MoveRecovery>> {
  await mkdir(options.root, { recursive: true });
  await mkdir(options.temp, { recursive: true });
  return new DiskStore(await realpath(options.root), await realpath(options.temp));
}

class DiskStore implements BlobStore, MoveRecovery {
  readonly #root: string;
  readonly #temp: string;

  constructor(root: string, temp: string) {
    this.#root = root;
    this.#temp = temp;
  }

  write(path: StoragePath, source: ByteSource, options: WriteOptions = {}): Promise<BlobStat> {
    return this.#store(path, options, (file) => saveSource(source, file, options.signal));
  }

  async adopt(path: StoragePath, file: string, options: WriteOptions = {}): Promise<BlobStat> {
    options.signal?.throwIfAborted();
    const settled = await settle(file, options.begin);
    await place(this.#root, file, path, options.existing);
    return settled;
  }

  async *freeNames(names: Iterable<StoragePath>): AsyncGenerator<FreeName> {
    for (const path of names) if (!(await isTaken(this.#root, path))) yield { path, seenAt: 0 };
  }

  async stat(path: StoragePath): Promise<BlobStat | undefined> {
    return (await findFile(this.#root, path))?.stat;
  }

  open(path: StoragePath, options: OpenOptions = {}): Promise<ByteStream> {
    return openStored(this.#root, path, options);
  }

  async withLocalFile<T>(path: StoragePath, use: (file: string) => Promise<T>, signal?: AbortSignal): Promise<T> {
    signal?.throwIfAborted();
    return use((await this.#require(path)).real);
  }

  async copy(from: StoragePath, to: StoragePath, options: WriteOptions = {}): Promise<BlobStat> {
    return this.#store(to, options, (file) => this.#copyBytes(from, file));
  }

  async move(from: StoragePath, to: StoragePath, options: WriteOptions = {}): Promise<BlobStat> {
    options.signal?.throwIfAborted();
    const { real, stat } = await this.#require(from);
    const entry = await placeOf(this.#root, from);
    if (entry === undefined) throw missing(from);
    if (from === to && options.existing !== 'keep') return stat;
    if (entry !== real) return this.#moveLink(from, entry, to, options);
    try {
      await place(this.#root, entry, to, options.existing);
      await syncFolder(dirname(entry));
      return stat;
    } catch (cause) {
      throw hasCode(cause, 'ENOENT') ? missing(from, cause) : cause;
    }
  }

  completeMove(from: StoragePath, to: StoragePath): Promise<void> {
    return completeMove(this.#root, from, to);
  }

  async remove(path: StoragePath): Promise<boolean> {
    const entry = (await findFile(this.#root, path)) && (await placeOf(this.#root, path));
    if (entry === undefined) return false;
    try {
      await unlink(entry);
    } catch (error) {
      if (isMissing(error)) return false;
      throw error;
    }
    await syncFolder(dirname(entry));
    return true;
  }

  list(folder: StoragePath, options: { limit?: number } = {}): Promise<FolderLevel> {
    return listLevel(this.#root, folder, options.limit);
  }

  walk(folder: StoragePath): AsyncIterable<BlobEntry> {
    return walkFiles(this.#root, folder);
  }

  folders(below?: StoragePath): Promise<StoragePath[]> {
    return listFolders(this.#root, below);
  }

  folderExists(folder: StoragePath): Promise<boolean> {
    return leadsToFolder(this.#root, folder);
  }

  scan(folder: StoragePath, options: ScanOptions = {}): AsyncIterable<FolderPart> {
    return scanFolders(this.#root, folder, options);
  }

  folderFingerprint(folder: StoragePath): Promise<string | null> {
    return folderFingerprint(this.#root, folder);
  }

  renewFingerprint(folder: StoragePath): Promise<string | null | undefined> {
    return renewFingerprint(this.#root, folder);
  }

  async createFolder(folder: StoragePath): Promise<boolean> {
    if (await this.folderExists(folder)) return false;
    await ensureFolder(this.#root, folder);
    return true;
  }

  async moveFolder(from: StoragePath, to: StoragePath): Promise<void> {
    const entry = (await this.folderExists(from)) ? await placeOf(this.#root, from) : undefined;
    if (entry === undefined) throw missing(from);
    if (from !== to && isWithin(to, from)) throw liesInside(to, from);
    if ((await resolveInside(this.#root, to)) !== undefined) throw taken(to);
    const parent = await ensureFolder(this.#root, parentOf(to));
    try {
      await rename(entry, await placeIn(parent, baseName(to)));
    } catch (cause) {
      if (hasCode(cause, 'ENOENT')) throw missing(from, cause);
      if (hasCode(cause, 'EINVAL')) throw liesInside(to, from, cause);
      if (hasCode(cause, 'EEXIST', 'ENOTEMPTY', 'ENOTDIR')) throw taken(to, cause);
      throw cause;
    }
    await syncFolder(parent);
    await syncFolder(dirname(entry));
  }

  async removeFolder(folder: StoragePath): Promise<boolean> {
    if (folder === ROOT) throw rootStays();
    const entry = (await this.folderExists(folder)) ? await placeOf(this.#root, folder) : undefined;
    if (entry === undefined) return false;
    // One step hides the folder, so that no client sees half of it or adds to it meanwhile.
    const removed = this.#tempFile();
    try {
      await rename(entry, removed);
    } catch (error) {
      if (isMissing(error)) return false;
      throw error;
    }
    await syncFolder(dirname(entry));
    // A link to a folder is deleted with its name.
    if ((await lstat(removed)).isDirectory()) await removeTree(removed);
    else await unlink(removed);
    return true;
  }

  /** Moves the bytes, because a relative link would lead elsewhere from its new location. */
  async #moveLink(from: StoragePath, entry: string, to: StoragePath, options: WriteOptions): Promise<BlobStat> {
    const file = this.#tempFile();
    try {
      await this.#copyBytes(from, file);
      const settled = await settle(file);
      await place(this.#root, file, to, options.existing);
      await unlink(entry);
      await syncFolder(dirname(entry));
      return settled;
    } finally {
      await rm(file, { force: true });
    }
  }

  async #copyBytes(from: StoragePath, file: string): Promise<void> {
    const { real } = await this.#require(from);
    await copyFile(real, file, constants.COPYFILE_FICLONE).catch((cause) => {
      throw isMissing(cause) ? missing(from, cause) : cause;
    });
  }

  async #store(path: StoragePath, options: WriteOptions, fill: (file: string) => Promise<void>): Promise<BlobStat> {
    const file = this.#tempFile();
    try {
      await fill(file);
      return await this.adopt(path, file, options);
    } finally {
      await removeFile(file);
    }
  }

  #tempFile(): string {
    return join(this.#temp, randomUUID());
  }

  async #require(path: StoragePath): Promise<{ real: string; stat: BlobStat }> {
    const found = await findFile(this.#root, path);
    if (found === undefined) throw missing(path);
    return found;
  }
}
