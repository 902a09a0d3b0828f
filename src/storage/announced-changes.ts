import type { StoragePath } from '../path.ts';
import { type Attic, itemsOf } from './attic.ts';
import type { BlobStat, BlobWrites } from './blob-store.ts';

/**
 * Called after a file, or everything below a folder, changed.
 * @param etag the present version of an existing file; undefined when it is missing or unknown
 */
export type OnChange = (path: StoragePath, isFolder: boolean, etag?: string) => Promise<void>;

/**
 * Wraps the writes of a store so that each is reported before it completes, and no caller can skip the report. Failed
 * writes are reported too, because they may have been applied in part.
 */
export function announceChanges(store: BlobWrites, onChange: OnChange): BlobWrites {
  const told = teller(onChange);
  const stored = storedTeller(onChange);
  return {
    write: (path, source, options) => stored(store.write(path, source, options), path),
    adopt: (path, file, options) => stored(store.adopt(path, file, options), path),
    copy: (from, to, options) => stored(store.copy(from, to, options), to),
    move: (from, to, options) => stored(store.move(from, to, options), to, from),
    remove: (path) => told(store.remove(path), [path]),
    createFolder: (folder) => told(store.createFolder(folder), [folder]),
    moveFolder: (from, to) => told(store.moveFolder(from, to), [from, to], true),
    removeFolder: (folder) => told(store.removeFolder(folder), [folder], true),
  };
}

/** Wraps an attic whose moves are reported in the same way. */
export function announceMoves(attic: Attic, onChange: OnChange): Attic {
  const told = teller(onChange);
  return {
    ...itemsOf(attic),
    keep: (path, id) => told(attic.keep(path, id), [path], true),
    giveBack: (id, path) => told(attic.giveBack(id, path), [path], true),
  };
}

/** Creates the listener for changes that leave a file at `path`, and none at `from`. */
function storedTeller(onChange: OnChange) {
  return async (change: Promise<BlobStat>, path: StoragePath, from?: StoragePath): Promise<BlobStat> => {
    let etag: string | undefined;
    try {
      const stat = await change;
      etag = stat.etag;
      return stat;
    } finally {
      const left = from === undefined || from === path ? [] : [onChange(from, false)];
      await Promise.all([...left, onChange(path, false, etag)]);
    }
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
