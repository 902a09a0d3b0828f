import { createHash } from 'node:crypto';
import { parentOf, ROOT, type StoragePath } from '../path.ts';

/** Deeper folders have no tag: purge their nearest tagged ancestor instead. */
export const MAX_TAGGED_FOLDERS = 16;

/** Hexadecimal, because some caches ignore the case of tags. */
const TAG_LENGTH = 16;

/**
 * Returns the tags under which a shared cache finds everything made of an original: its own, and those of its folders
 * from the root down. Purging a folder's tag purges everything below it.
 */
export function cacheTagsOf(path: StoragePath): string[] {
  const folders: StoragePath[] = [];
  for (let folder = path; folder !== ROOT; ) {
    folder = parentOf(folder);
    folders.unshift(folder);
  }
  return [path, ...folders.slice(0, 1 + MAX_TAGGED_FOLDERS)].map(cacheTag);
}

/** Returns the tag of a file or folder; that of the root is on every response. */
export function cacheTag(path: StoragePath): string {
  return createHash('sha256').update(path).digest('hex').slice(0, TAG_LENGTH);
}
