import type { StoragePath } from '../path.ts';
import type { BlobEntry, BlobStat, ByteRange, ByteStream } from './blob-store.ts';

/** State of an item. */
export type RetainedStat = ({ isFolder: false } & BlobStat) | { isFolder: true };

/**
 * Retention store: bytes that are no longer served (replaced versions and the trash). It is a separate area of the
 * storage of the originals, invisible to its readers. Each item is a file or a whole folder, and has an id. Every
 * implementation passes `test/contracts/retention-store.ts`.
 */
export type RetentionStore = RetentionMoves & RetainedItems;

/**
 * Moves between originals and retention store. A process killed during one leaves every file in one of the two areas,
 * or in both.
 */
export interface RetentionMoves {
  /**
   * Moves a file, or a folder with its contents, out of the originals. A failure leaves the originals unchanged. Files
   * that other clients add meanwhile stay.
   * @throws BlobNotFound; BlobConflict for the root
   */
  keep(path: StoragePath, id: string): Promise<void>;
  /**
   * Completes the move of a file that ended after its bytes were retained: removes the original while it is the
   * retained file. Other bytes stay, and so does everything else.
   */
  completeKeep(path: StoragePath, id: string): Promise<void>;
  /** Moves an item back, to a path that is free. @throws BlobNotFound, BlobExists, BlobConflict */
  giveBack(id: string, path: StoragePath): Promise<void>;
}

/** Access to the items themselves. */
export interface RetainedItems {
  /**
   * Retains the present bytes of a file, which stays until another one replaces it.
   * @returns the state of the retained file
   * @throws BlobNotFound
   */
  keepCopy(path: StoragePath, id: string): Promise<BlobStat>;
  /** Opens the bytes of a file. @throws BlobNotFound */
  open(id: string, options?: { range?: ByteRange; signal?: AbortSignal }): Promise<ByteStream>;
  stat(id: string): Promise<RetainedStat | undefined>;
  /**
   * True if a file is the restored item, whose restoration ended before the item was removed. An item that is a folder
   * is none.
   */
  isRestored(id: string, path: StoragePath): Promise<boolean>;
  /** Yields the files of an item, each with its path in that folder; a file has the empty path. */
  files(id: string): AsyncIterable<BlobEntry>;
  /** Returns the folders in an item, sorted, each with its path in that folder; none for a file. */
  folders(id: string): Promise<StoragePath[]>;
  /** Returns false when there was none. */
  remove(id: string): Promise<boolean>;
  /** Yields all ids, unordered. */
  walk(): AsyncIterable<string>;
}

const ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** True for an id. Entries of other programs have other names, and are ignored. */
export const isRetainedId = (name: string) => ID.test(name);

/** Returns the half that changes no originals, to be combined with moves that have side effects. */
export function itemsOf(retention: RetainedItems): RetainedItems {
  return {
    keepCopy: retention.keepCopy.bind(retention),
    open: retention.open.bind(retention),
    stat: retention.stat.bind(retention),
    isRestored: retention.isRestored.bind(retention),
    files: retention.files.bind(retention),
    folders: retention.folders.bind(retention),
    remove: retention.remove.bind(retention),
    walk: retention.walk.bind(retention),
  };
}
