import { ROOT, type StoragePath } from '../path.ts';
import {
  type BlobEntry,
  BlobExists,
  BlobNotFound,
  type BlobStat,
  type BlobStore,
  type ByteRange,
  type ByteStream,
  isTaken,
  missing,
  rootStays,
} from './blob-store.ts';
import { sha256Of } from './byte-source.ts';
import { isRetainedId, type RetainedStat, type RetentionStore } from './retention-store.ts';

/**
 * Creates a retention store in a separate store, for a storage without a faster way: all bytes pass through this
 * process.
 * @param originals the store of the originals
 * @param retained a store for retained items alone
 */
export function createCopyingRetentionStore(originals: BlobStore, retained: BlobStore): RetentionStore {
  return new CopyingRetentionStore(originals, retained);
}

class CopyingRetentionStore implements RetentionStore {
  readonly #originals: BlobStore;
  readonly #retained: BlobStore;

  constructor(originals: BlobStore, retained: BlobStore) {
    this.#originals = originals;
    this.#retained = retained;
  }

  async keep(path: StoragePath, id: string): Promise<void> {
    if (path === ROOT) throw rootStays();
    if (await this.#originals.stat(path)) {
      await this.#retained.write(placeOf(id), await this.#originals.open(path));
      await this.#originals.remove(path);
      return;
    }
    if (!(await this.#originals.folderExists(path))) throw missing(path);
    await copyTree(this.#originals, path, this.#retained, placeOf(id));
    await this.#originals.removeFolder(path);
  }

  async completeKeep(path: StoragePath, id: string): Promise<void> {
    if (await this.#hasSameBytes(id, path)) await this.#originals.remove(path);
  }

  async giveBack(id: string, path: StoragePath): Promise<void> {
    const retained = await this.stat(id);
    const originals = this.#originals;
    if (!retained) throw new BlobNotFound('No item has this id.');
    if (await isTaken(originals, path)) throw new BlobExists('An item has this id.');
    if (retained.isFolder) await copyTree(this.#retained, placeOf(id), originals, path);
    else await originals.write(path, await this.#retained.open(placeOf(id)), { existing: 'keep' });
    await this.remove(id);
  }

  async keepCopy(path: StoragePath, id: string): Promise<BlobStat> {
    await this.#retained.write(placeOf(id), await this.#originals.open(path));
    const stat = await this.#originals.stat(path);
    if (!stat) throw missing(path);
    return stat;
  }

  async open(id: string, options?: { range?: ByteRange; signal?: AbortSignal }): Promise<ByteStream> {
    return this.#retained.open(placeOf(id), options);
  }

  async stat(id: string): Promise<RetainedStat | undefined> {
    if (!isRetainedId(id)) return undefined;
    const file = await this.#retained.stat(placeOf(id));
    if (file) return { isFolder: false, ...file };
    return (await this.#retained.folderExists(placeOf(id))) ? { isFolder: true } : undefined;
  }

  async isRestored(id: string, path: StoragePath): Promise<boolean> {
    return isRetainedId(id) && this.#hasSameBytes(id, path);
  }

  async *files(id: string): AsyncGenerator<BlobEntry> {
    const file = await this.#retained.stat(placeOf(id));
    if (file) yield { ...file, path: ROOT };
    for await (const entry of this.#retained.walk(placeOf(id)))
      yield { ...entry, path: entry.path.slice(id.length + 1) as StoragePath };
  }

  async folders(id: string): Promise<StoragePath[]> {
    if (!isRetainedId(id)) return [];
    const below = (await this.#retained.folders()).filter((folder) => folder.startsWith(`${id}/`));
    return below.map((folder) => folder.slice(id.length + 1) as StoragePath);
  }

  async remove(id: string): Promise<boolean> {
    return (
      isRetainedId(id) &&
      ((await this.#retained.remove(placeOf(id))) || (await this.#retained.removeFolder(placeOf(id))))
    );
  }

  async *walk(): AsyncGenerator<string> {
    const { folders, files } = await this.#retained.list(ROOT);
    yield* [...folders, ...files.map(({ path }) => path)].filter(isRetainedId);
  }

  /** Compares the bytes of a file and an item, because each store has its own etags. */
  async #hasSameBytes(id: string, path: StoragePath): Promise<boolean> {
    const original = await this.#originals.stat(path);
    const retained = await this.#retained.stat(placeOf(id));
    if (!original || original.size !== retained?.size) return false;
    const present = await sha256Of(await this.#originals.open(path));
    return present === (await sha256Of(await this.#retained.open(placeOf(id))));
  }
}

function placeOf(id: string): StoragePath {
  if (!isRetainedId(id)) throw new BlobNotFound('No item has this id.');
  return id as StoragePath;
}

async function copyTree(from: BlobStore, old: StoragePath, to: BlobStore, fresh: StoragePath): Promise<void> {
  const placed = (path: StoragePath) => (fresh + path.slice(old.length)) as StoragePath;
  await to.createFolder(fresh);
  for (const folder of await from.folders()) if (folder.startsWith(`${old}/`)) await to.createFolder(placed(folder));
  for await (const { path } of from.walk(old)) await to.write(placed(path), await from.open(path));
}
