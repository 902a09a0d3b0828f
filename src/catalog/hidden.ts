import { baseName, type StoragePath } from '../path.ts';

/**
 * The folder whose rows are those of what lies in the trash: words, tags, descriptions and versions stay with their rows while nothing
 * shows them. No path of a user begins with a slash, and this folder is not in the root.
 */
export const HIDDEN = '/trash' as StoragePath;

/** Everything that belongs to an item of the trash. */
export const hiddenFolder = (id: string) => `${HIDDEN}/${id}` as StoragePath;

/** Where the rows of a file or folder are while it lies in the trash. @param path where it was */
export const hiddenPath = (id: string, path: StoragePath) => `${hiddenFolder(id)}/${baseName(path)}` as StoragePath;

/** The id in a hidden path; undefined for any other path. */
export function hiddenId(path: StoragePath): string | undefined {
  return path.startsWith(`${HIDDEN}/`) ? path.split('/')[2] : undefined;
}
