import type { StoragePath } from '../path.ts';
import { type Attic, itemsOf } from './attic.ts';
import type { BlobWrites } from './blob-store.ts';

/** Is told that a file has changed, or everything in a folder. */
export type OnChange = (path: StoragePath, isFolder: boolean) => Promise<void>;

/**
 * The writes of a store, each told of before it counts as done, so that nobody who changes something can forget to.
 * Those that fail are told of as well, because they may have come half way.
 */
export function announceChanges(store: BlobWrites, onChange: OnChange): BlobWrites {
  const told = teller(onChange);
  return {
    write: (path, source, options) => told(store.write(path, source, options), [path]),
    adopt: (path, file, options) => told(store.adopt(path, file, options), [path]),
    copy: (from, to, options) => told(store.copy(from, to, options), [to]),
    move: (from, to, options) => told(store.move(from, to, options), [from, to]),
    remove: (path) => told(store.remove(path), [path]),
    createFolder: (folder) => told(store.createFolder(folder), [folder]),
    moveFolder: (from, to) => told(store.moveFolder(from, to), [from, to], true),
    removeFolder: (folder) => told(store.removeFolder(folder), [folder], true),
  };
}

/** An attic whose moves are told of in the same way. */
export function announceMoves(attic: Attic, onChange: OnChange): Attic {
  const told = teller(onChange);
  return {
    ...itemsOf(attic),
    keep: (path, id) => told(attic.keep(path, id), [path], true),
    giveBack: (id, path) => told(attic.giveBack(id, path), [path], true),
  };
}

function teller(onChange: OnChange) {
  return async <T>(change: Promise<T>, paths: readonly StoragePath[], isFolder = false): Promise<T> => {
    try {
      return await change;
    } finally {
      await Promise.all(paths.map((path) => onChange(path, isFolder)));
    }
  };
}
