import { hash } from 'node:crypto';
import { parentOf, ROOT, type StoragePath } from '../../path.ts';
import { MAX_KEY_BYTES } from './keys.ts';

/** Length of a variant's own name, in bytes. */
const NAME_BYTES = 40;

/**
 * Returns the prefix of the keys of an original's variants, or of those of everything in a folder: `variants/a/b.jpg/`.
 * When a path leaves no space for the variant's name, its hash replaces it, in the nearest folder above that has the
 * space: `variants/a/~<hash>/`. So a listing of that folder, or of one above, finds it. Only a listing of a folder
 * whose own path is as long does not.
 * @param root prefix of all keys
 */
export function variantPrefix(root: string, path: StoragePath): string {
  if (path === ROOT) return root;
  const prefix = `${root}${path}/`;
  if (fits(prefix)) return prefix;
  const name = `~${hash('sha256', path)}/`;
  let folder = parentOf(path);
  while (folder !== ROOT && !fits(`${root}${folder}/${name}`)) folder = parentOf(folder);
  return folder === ROOT ? root + name : `${root}${folder}/${name}`;
}

function fits(prefix: string): boolean {
  return Buffer.byteLength(prefix) + NAME_BYTES <= MAX_KEY_BYTES;
}
