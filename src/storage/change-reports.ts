import type { StoragePath } from '../path.ts';
import type { BlobStat, BlobWrites } from './blob-store.ts';
import { itemsOf, type RetentionStore } from './retention-store.ts';

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
  const reportingWrite = (path: StoragePath, change: Promise<BlobStat>) =>
    announced(change, (stat) => [onChange(path, false, stat?.etag)]);
  return {
    write: (path, source, options) => reportingWrite(path, store.write(path, source, options)),
    adopt: (path, file, options) => reportingWrite(path, store.adopt(path, file, options)),
    copy: (from, to, options) => reportingWrite(to, store.copy(from, to, options)),
    move: (from, to, options) =>
      announced(store.move(from, to, options), (stat) => [
        ...(from === to ? [] : [onChange(from, false)]),
        onChange(to, false, stat?.etag),
      ]),
    remove: (path) => announced(store.remove(path), () => [onChange(path, false)]),
    createFolder: (folder) => announced(store.createFolder(folder), () => [onChange(folder, false)]),
    moveFolder: (from, to) => announced(store.moveFolder(from, to), () => [onChange(from, true), onChange(to, true)]),
    removeFolder: (folder) => announced(store.removeFolder(folder), () => [onChange(folder, true)]),
  };
}

/** Wraps a retention store whose moves are reported in the same way. */
export function announceMoves(retention: RetentionStore, onChange: OnChange): RetentionStore {
  return {
    ...itemsOf(retention),
    keep: (path, id) => announced(retention.keep(path, id), () => [onChange(path, true)]),
    completeKeep: (path, id) => announced(retention.completeKeep(path, id), () => [onChange(path, false)]),
    giveBack: (id, path) => announced(retention.giveBack(id, path), () => [onChange(path, true)]),
  };
}

/** Waits for a change, then for its reports. @param report gets the result, or undefined after a failure */
async function announced<T>(change: Promise<T>, report: (result: T | undefined) => Promise<void>[]): Promise<T> {
  let result: T | undefined;
  try {
    result = await change;
    return result;
  } finally {
    await Promise.all(report(result));
  }
}
