import { createHash } from 'node:crypto';
import { parentOf, ROOT, type StoragePath } from '../path.ts';

/** Folders that lie deeper have no tag: whoever purges one purges the folder above it that has. */
export const MAX_TAGGED_FOLDERS = 16;

/** Hexadecimal, because some caches ignore the case of tags. */
const TAG_LENGTH = 16;

/**
 * The names under which a shared cache finds everything that was made of an original: its own, and those of the folders that it is
 * in, from the root down. A purge by one of them takes the file, or the folder with all that is in it.
 */
export function cacheTagsOf(path: StoragePath): string[] {
  const folders: StoragePath[] = [];
  for (let folder = path; folder !== ROOT; ) {
    folder = parentOf(folder);
    folders.unshift(folder);
  }
  return [path, ...folders.slice(0, 1 + MAX_TAGGED_FOLDERS)].map(cacheTag);
}

/** The tag of a file or folder; that of the root is on everything. */
export function cacheTag(path: StoragePath): string {
  return createHash('sha256').update(path).digest('hex').slice(0, TAG_LENGTH);
}
