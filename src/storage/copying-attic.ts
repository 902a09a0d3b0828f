import { ROOT, type StoragePath } from '../path.ts';
import { type Attic, isKeptId } from './attic.ts';
import { BlobConflict, BlobExists, BlobNotFound, type BlobStore, missing } from './blob-store.ts';

/**
 * An attic in a store of its own, for a storage that can do no better: all bytes pass through this process.
 * @param originals the store of the originals @param kept a store that is used for nothing else
 */
export function createCopyingAttic(originals: BlobStore, kept: BlobStore): Attic {
  const place = (id: string) => {
    if (!isKeptId(id)) throw new BlobNotFound('Nothing is kept there.');
    return id as StoragePath;
  };
  const within = (folder: StoragePath, path: string) => (path === '' ? folder : `${folder}/${path}`) as StoragePath;
  async function copyTree(from: BlobStore, old: StoragePath, to: BlobStore, fresh: StoragePath): Promise<void> {
    const folders = (await from.folders()).filter((folder) => folder.startsWith(`${old}/`));
    for (const folder of [old, ...folders]) await to.createFolder(within(fresh, folder.slice(old.length + 1)));
    for await (const { path } of from.walk(old))
      await to.write(within(fresh, path.slice(old.length + 1)), await from.open(path));
  }
  return {
    async keep(path, id) {
      if (path === ROOT) throw new BlobConflict('The root of the storage cannot be taken away.');
      if (await originals.stat(path)) {
        await kept.write(place(id), await originals.open(path));
        await originals.remove(path);
        return;
      }
      if (!(await originals.folderExists(path))) throw missing(path);
      await copyTree(originals, path, kept, place(id));
      await originals.removeFolder(path);
    },
    async giveBack(id, path) {
      if (path === ROOT || (await originals.folderExists(path)) || (await originals.stat(path)))
        throw new BlobExists('Something is there.');
      if (await kept.stat(place(id))) {
        await originals.write(path, await kept.open(place(id)), { existing: 'keep' });
        await kept.remove(place(id));
        return;
      }
      if (!(await kept.folderExists(place(id)))) throw new BlobNotFound('Nothing is kept there.');
      await copyTree(kept, place(id), originals, path);
      await kept.removeFolder(place(id));
    },
    async keepCopy(path, id) {
      await kept.write(place(id), await originals.open(path));
      const stat = await originals.stat(path);
      if (!stat) throw missing(path);
      return stat;
    },
    open: async (id, options) => kept.open(place(id), options),
    async stat(id) {
      if (!isKeptId(id)) return undefined;
      const file = await kept.stat(place(id));
      if (file) return { isFolder: false, ...file };
      return (await kept.folderExists(place(id))) ? { isFolder: true } : undefined;
    },
    async *files(id) {
      const file = await kept.stat(place(id));
      if (file) yield { ...file, path: ROOT };
      for await (const entry of kept.walk(place(id)))
        yield { ...entry, path: entry.path.slice(id.length + 1) as StoragePath };
    },
    async remove(id) {
      return isKeptId(id) && ((await kept.remove(place(id))) || (await kept.removeFolder(place(id))));
    },
    async *walk() {
      const { folders, files } = await kept.list(ROOT);
      yield* [...folders, ...files.map(({ path }) => path)].filter(isKeptId);
    },
  };
}
