import type { MediaKind } from '../media.ts';
import type { StoragePath } from '../path.ts';

/** A deleted file or folder that can be restored. */
export interface TrashItem {
  /** Id, also of its bytes in the retention store. */
  id: string;
  /** Original path. */
  path: StoragePath;
  kind: MediaKind | 'folder';
  /** Bytes. */
  size: number;
  fileCount: number;
  /** Milliseconds since 1970. */
  deletedAt: number;
  expiresAt: number;
}

/** Property by which the trash is sorted, then by id. */
export type TrashSort = 'deletedAt' | 'path' | 'size';

export interface TrashOrder {
  by: TrashSort;
  direction: 'asc' | 'desc';
}

export const LATEST_FIRST: TrashOrder = { by: 'deletedAt', direction: 'desc' };

/** Position after which the next page of the trash begins. */
export interface TrashPosition {
  /** That of the last item. */
  id: string;
  /** By which the last item is sorted. */
  value: string | number;
}

/** Returns the position of an item in the trash. */
export function positionIn(item: TrashItem, { by }: TrashOrder = LATEST_FIRST): TrashPosition {
  return { id: item.id, value: item[by] };
}

/** Items of the trash. The rows of their files lie in hidden folders (`hidden.ts`). */
export interface TrashRows {
  /** Adds an item, or replaces the item with the same id. */
  put(item: TrashItem): Promise<void>;
  find(id: string): Promise<TrashItem | undefined>;
  /** Returns the item deleted last from a path. */
  latestOf(path: StoragePath): Promise<TrashItem | undefined>;
  /**
   * Returns a page of items.
   * @param folder limits them to those from inside a folder
   * @param order latest deletion first by default
   */
  page(limit: number, after?: TrashPosition, folder?: StoragePath, order?: TrashOrder): Promise<TrashItem[]>;
  /** Returns expired items, oldest first. @param now milliseconds since 1970 */
  expired(now: number, limit: number): Promise<TrashItem[]>;
  remove(id: string): Promise<void>;
}

/** Earlier bytes of an original. */
export interface AssetVersion {
  /** Id, also of the bytes in the retention store. */
  id: string;
  /** Bytes. */
  size: number;
  etag: string;
  /** Time at which the bytes were replaced, in milliseconds since 1970. */
  createdAt: number;
  /** Pixels of the upright image; null if unknown. */
  width: number | null;
  height: number | null;
}

/** Versions of originals. They belong to the row of a file and move with it. */
export interface VersionRows {
  /** Adds the current bytes of a file, with the dimensions of the image. @param assetId the id of its row */
  add(assetId: number, version: Omit<AssetVersion, 'width' | 'height'>): Promise<void>;
  /** @param folder limits it to versions of the files in a folder, and in all folders below it */
  exists(id: string, folder?: StoragePath): Promise<boolean>;
  /** Returns the versions of a file, newest first. */
  of(path: StoragePath): Promise<AssetVersion[]>;
  /** Returns the version ids of a file, or of all files below a folder. */
  within(path: StoragePath): Promise<string[]>;
  /** Returns the ids of versions created before a time, and of versions whose file was deleted. */
  due(before: number, limit: number): Promise<string[]>;
  remove(ids: readonly string[]): Promise<void>;
}
