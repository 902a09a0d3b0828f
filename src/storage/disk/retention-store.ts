import { randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { copyFile, link, lstat, mkdir, open, opendir, realpath, rename, rm, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { hasCode } from '../../errors.ts';
import { baseName, parentOf, quote, ROOT, type StoragePath } from '../../path.ts';
import {
  type BlobEntry,
  BlobNotFound,
  type BlobStat,
  type ByteRange,
  missing,
  rootStays,
  taken,
} from '../blob-store.ts';
import { openFile } from '../local-file.ts';
import { isRetainedId, type RetainedStat, type RetentionStore } from '../retention-store.ts';
import { completeMoveTo } from './complete-move.ts';
import { listFolders, walkFiles } from './list.ts';
import { findFile, isFolder, isMissing, isTaken, placeIn, resolveInside, statFile } from './resolve.ts';
import { ensureFolder, place, removeTree, syncFolder } from './write.ts';

export interface DiskRetentionOptions {
  /** Folder of the originals. */
  root: string;
  /** Folder of the items, created when missing. */
  retention: string;
  /** All three lie on the same file system. */
  temp: string;
}

/** Creates a retention store that keeps all items in one folder, each under its id: a rename retains a file. */
export async function createDiskRetentionStore(options: DiskRetentionOptions): Promise<RetentionStore> {
  for (const folder of Object.values(options)) await mkdir(folder, { recursive: true });
  const root = await realpath(options.root);
  const retention = await realpath(options.retention);
  const temp = await realpath(options.temp);
  return new DiskRetentionStore(root, retention, temp);
}

class DiskRetentionStore implements RetentionStore {
  readonly #root: string;
  readonly #folder: string;
  readonly #temp: string;

  constructor(root: string, retention: string, temp: string) {
    this.#root = root;
    this.#folder = retention;
    this.#temp = temp;
  }

  async keep(path: StoragePath, id: string): Promise<void> {
    if (path === ROOT) throw rootStays();
    const folder = await resolveInside(this.#root, parentOf(path));
    const real = folder === undefined ? undefined : await resolveInside(this.#root, path);
    if (folder === undefined || real === undefined) throw missing(path);
    const entry = await placeIn(folder, baseName(path));
    try {
      // A relative link would lead elsewhere from its new location. A link to a folder is restored to its old one.
      if (entry !== real && !(await isFolder(real))) await this.#keepTarget(path, entry, id);
      else await rename(entry, this.#place(id));
    } catch (cause) {
      throw isMissing(cause) ? missing(path, cause) : cause;
    }
    await syncFolder(this.#folder);
    await syncFolder(folder);
  }

  async completeKeep(path: StoragePath, id: string): Promise<void> {
    await completeMoveTo(this.#root, path, this.#place(id));
  }

  async giveBack(id: string, path: StoragePath): Promise<void> {
    const item = this.#place(id);
    const found = await this.stat(id);
    if (found === undefined) throw gone(id);
    if (found.isFolder) {
      await this.#giveFolderBack(item, path);
    } else {
      await place(this.#root, item, path, 'keep');
    }
    await syncFolder(this.#folder);
  }

  async keepCopy(path: StoragePath, id: string): Promise<BlobStat> {
    const found = await findFile(this.#root, path);
    if (found === undefined) throw missing(path);
    try {
      await link(found.real, this.#place(id));
    } catch (cause) {
      if (isMissing(cause)) throw missing(path, cause);
      // Linux does not let users link files that they could not write.
      if (!hasCode(cause, 'EPERM', 'EMLINK', 'ENOTSUP')) throw cause;
      await this.#copy(found.real, id);
    }
    await syncFolder(this.#folder);
    const retained = await statFile(this.#place(id));
    if (retained === undefined) throw missing(path);
    return retained;
  }

  async open(id: string, { range, signal }: { range?: ByteRange; signal?: AbortSignal } = {}) {
    if ((await this.stat(id))?.isFolder !== false) throw gone(id);
    return openFile(this.#place(id), range, signal);
  }

  async stat(id: string): Promise<RetainedStat | undefined> {
    if (!isRetainedId(id)) return undefined;
    const file = await statFile(this.#place(id));
    if (file) return { isFolder: false, ...file };
    return (await isTaken(this.#folder, id as StoragePath)) ? { isFolder: true } : undefined;
  }

  async isRestored(id: string, path: StoragePath): Promise<boolean> {
    const retained = await this.stat(id);
    if (retained?.isFolder !== false) return false;
    return (await findFile(this.#root, path))?.stat.etag === retained.etag;
  }

  async *files(id: string): AsyncGenerator<BlobEntry> {
    const found = await this.stat(id);
    if (found?.isFolder === false) yield { ...found, path: ROOT };
    if (await this.#isRealFolder(id)) yield* walkFiles(this.#place(id), ROOT);
  }

  async folders(id: string): Promise<StoragePath[]> {
    return (await this.#isRealFolder(id)) ? listFolders(this.#place(id)) : [];
  }

  async remove(id: string): Promise<boolean> {
    if (!isRetainedId(id)) return false;
    const item = this.#place(id);
    try {
      if ((await lstat(item)).isDirectory()) await this.#removeFolder(item);
      else await unlink(item);
    } catch (error) {
      if (isMissing(error)) return false;
      throw error;
    }
    await syncFolder(this.#folder);
    return true;
  }

  async *walk(): AsyncGenerator<string> {
    for await (const { name } of await opendir(this.#folder)) if (isRetainedId(name)) yield name;
  }

  /** True for a folder, false for a link to one. */
  async #isRealFolder(id: string): Promise<boolean> {
    return (await this.stat(id))?.isFolder === true && !(await lstat(this.#place(id))).isSymbolicLink();
  }

  async #giveFolderBack(item: string, path: StoragePath): Promise<void> {
    if (path === ROOT || (await isTaken(this.#root, path))) throw taken(path);
    const parent = await ensureFolder(this.#root, parentOf(path));
    try {
      await rename(item, join(parent, baseName(path)));
    } catch (cause) {
      throw hasCode(cause, 'EEXIST', 'ENOTEMPTY', 'ENOTDIR', 'EISDIR') ? taken(path, cause) : cause;
    }
    await syncFolder(parent);
  }

  /** Hides the item in one step, so that a concurrent restore never gets half of it. */
  async #removeFolder(item: string): Promise<void> {
    const removed = join(this.#temp, randomUUID());
    await rename(item, removed);
    await syncFolder(this.#folder);
    await removeTree(removed);
  }

  /** Retains the target of a link, and removes the link. */
  async #keepTarget(path: StoragePath, entry: string, id: string): Promise<void> {
    const found = await findFile(this.#root, path);
    if (found === undefined) throw missing(path);
    await this.#copy(found.real, id);
    await unlink(entry);
    await syncFolder(dirname(entry));
  }

  async #copy(file: string, id: string): Promise<void> {
    const draft = join(this.#temp, randomUUID());
    try {
      await copyFile(file, draft, constants.COPYFILE_FICLONE);
      {
        await using handle = await open(draft, 'r');
        await handle.sync();
      }
      await rename(draft, this.#place(id));
    } finally {
      await rm(draft, { force: true });
    }
  }

  #place(id: string): string {
    if (!isRetainedId(id)) throw gone(id);
    return join(this.#folder, id);
  }
}

function gone(id: string): BlobNotFound {
  return new BlobNotFound(`No item has the id ${quote(id)}.`);
}
