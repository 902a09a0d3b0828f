import type { StoragePath } from '../path.ts';
import type { BlobStore } from './blob-store.ts';

/** Is told that a file has changed, or everything in a folder. */
export type OnChange = (path: StoragePath, isFolder: boolean) => Promise<void>;

/**
 * A store that tells of each of its changes before the change counts as done, so that nobody who changes something can forget to.
 * It also tells of changes that fail, because they may have come half way.
 */
export function announceChanges(store: BlobStore, onChange: OnChange): BlobStore {
  async function told<T>(change: Promise<T>, paths: readonly StoragePath[], isFolder = false): Promise<T> {
    try {
      return await change;
    } finally {
      await Promise.all(paths.map((path) => onChange(path, isFolder)));
    }
  }
  return {
    write: (path, source, options) => told(store.write(path, source, options), [path]),
    adopt: (path, file, options) => told(store.adopt(path, file, options), [path]),
    copy: (from, to, options) => told(store.copy(from, to, options), [to]),
    move: (from, to, options) => told(store.move(from, to, options), [from, to]),
    remove: (path) => told(store.remove(path), [path]),
    createFolder: (folder) => told(store.createFolder(folder), [folder]),
    moveFolder: (from, to) => told(store.moveFolder(from, to), [from, to], true),
    removeFolder: (folder) => told(store.removeFolder(folder), [folder], true),
    freeNames: (names) => store.freeNames(names),
    stat: (path) => store.stat(path),
    open: (path, options) => store.open(path, options),
    withLocalFile: (path, use, signal, etag) => store.withLocalFile(path, use, signal, etag),
    list: (folder, options) => store.list(folder, options),
    walk: (folder) => store.walk(folder),
    folders: () => store.folders(),
    folderExists: (folder) => store.folderExists(folder),
  };
}
