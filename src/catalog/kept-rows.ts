import type { MediaKind } from '../media.ts';
import type { StoragePath } from '../path.ts';

/** What was deleted and can still be brought back. */
export interface TrashItem {
  /** That of its bytes in the attic, too. */
  id: string;
  /** Where it was. */
  path: StoragePath;
  kind: MediaKind | 'folder';
  /** Bytes. */
  size: number;
  fileCount: number;
  /** Milliseconds since 1970. */
  deletedAt: number;
  expiresAt: number;
}

/** Where a page of the trash ended. */
export type TrashPosition = Pick<TrashItem, 'id' | 'deletedAt'>;

/** The items of the trash. What is known of their files lies in hidden folders (`hidden.ts`). */
export interface TrashRows {
  /** Adds an item; one of the same id is replaced. */
  put(item: TrashItem): Promise<void>;
  find(id: string): Promise<TrashItem | undefined>;
  /** What was deleted last from a path. */
  latestOf(path: StoragePath): Promise<TrashItem | undefined>;
  /** Those that were deleted last come first. */
  page(limit: number, after?: TrashPosition): Promise<TrashItem[]>;
  /** Those that are to go, the oldest first. @param now milliseconds since 1970 */
  expired(now: number, limit: number): Promise<TrashItem[]>;
  remove(id: string): Promise<void>;
}

/** Bytes that an original had before. */
export interface AssetVersion {
  /** That of the bytes in the attic, too. */
  id: string;
  /** Bytes. */
  size: number;
  etag: string;
  /** When others took their place, in milliseconds since 1970. */
  createdAt: number;
  /** Pixels of the upright picture; null where it was not known. */
  width: number | null;
  height: number | null;
}

/** The versions of the originals. They belong to the row of a file, and go where it goes. */
export interface VersionRows {
  /** Adds the present bytes of a file, and how large its picture is. @param assetId the id of its row */
  add(assetId: number, version: Omit<AssetVersion, 'width' | 'height'>): Promise<void>;
  /** Those of a file, the newest first. */
  of(path: StoragePath): Promise<AssetVersion[]>;
  /** The ids of those of a file, or of all files below a folder. */
  within(path: StoragePath): Promise<string[]>;
  /** The ids of those that were made before a time, and of those whose file is gone. */
  due(before: number, limit: number): Promise<string[]>;
  remove(ids: readonly string[]): Promise<void>;
}
