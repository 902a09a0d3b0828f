import { hash } from 'node:crypto';
import { parentOf, ROOT, type StoragePath } from '../../path.ts';

/** Longer keys are refused by every store. */
const MAX_KEY_BYTES = 1024;

/** What a variant's own name takes. */
const NAME_BYTES = 40;

/**
 * What the keys of an original's variants begin with, and of those of everything in a folder: its path, `variants/a/b.jpg/`.
 * A path that leaves no room for the name goes by its hash, in the nearest folder above it that does:
 * `variants/a/~<hash>/`. So a listing of that folder, or of one above it, finds it; only one of a folder whose own path is
 * as long does not.
 * @param root what all keys begin with
 */
export function variantPrefix(root: string, path: StoragePath): string {
  if (path === ROOT) return root;
  const prefix = `${root}${path}/`;
  if (hasRoom(prefix)) return prefix;
  const name = `~${hash('sha256', path)}/`;
  let folder = parentOf(path);
  while (folder !== ROOT && !hasRoom(`${root}${folder}/${name}`)) folder = parentOf(folder);
  return folder === ROOT ? root + name : `${root}${folder}/${name}`;
}

function hasRoom(prefix: string): boolean {
  return Buffer.byteLength(prefix) + NAME_BYTES <= MAX_KEY_BYTES;
}
