import { randomUUID } from 'node:crypto';
import { baseName, type StoragePath } from '../path.ts';

/**
 * Folder of the rows in the trash: metadata, descriptions and versions stay with their rows while these are hidden. No
 * path of a user begins with a slash, and this folder is not in the root.
 */
export const HIDDEN = '/trash' as StoragePath;

/** Returns the folder of everything that belongs to an item of the trash. */
export const hiddenFolder = (id: string) => `${HIDDEN}/${id}` as StoragePath;

/** Returns the location of the rows of a trashed file or folder. @param path the original path */
export const hiddenPath = (id: string, path: StoragePath) => `${hiddenFolder(id)}/${baseName(path)}` as StoragePath;

/** Returns the id in a hidden path; undefined for any other path. */
export function hiddenId(path: StoragePath): string | undefined {
  return path.startsWith(`${HIDDEN}/`) ? path.split('/')[2] : undefined;
}

/**
 * The hidden folder of tombstones: rows of files that vanished from the storage. Metadata and versions stay with them
 * until the file is found elsewhere, or the tombstone expires. Each folder in it has files that vanished together, or a
 * folder that vanished.
 */
export const TOMBSTONES = `${HIDDEN}/vanished` as StoragePath;

const TIME_DIGITS = 15;

/** Returns a new folder for tombstones. Its name begins with the time, in milliseconds since 1970. */
export const newTombstone = (now = Date.now()) =>
  `${TOMBSTONES}/${String(now).padStart(TIME_DIGITS, '0')}-${randomUUID()}` as StoragePath;

export const isTombstone = (path: StoragePath) => path.startsWith(`${TOMBSTONES}/`);

/** Returns the time of a tombstone, in milliseconds since 1970. */
export const tombstoneTime = (path: StoragePath) => Number(path.split('/')[3]?.slice(0, TIME_DIGITS));
