import { badRequest } from '../../errors.ts';
import { baseName, childPath, ROOT, type StoragePath } from '../../path.ts';

/** Every store refuses longer keys. */
export const MAX_KEY_BYTES = 1024;

export type Keys = ReturnType<typeof createKeys>;

/** Translates between the paths of a store and the keys of its bucket. @param root prefix of all keys: `originals/` */
export function createKeys(root: string) {
  /** @throws HttpProblem 400 when the path is too long for a key */
  const file = (path: StoragePath) => requireShortKey(root + path);
  return {
    file,
    /**
     * Returns the prefix of the keys of everything in a folder. It is also the key of the object of the folder itself.
     */
    folder: (folder: StoragePath) => (folder === ROOT ? root : `${file(folder)}/`),
    /** Returns the path of a key; undefined for a key of another program that is no valid path. */
    path: (key: string) => toPath(key.slice(root.length).replace(/\/$/, '')),
  };
}

/** Returns a key that leaves space for the `/` of a folder. @throws HttpProblem 400 when it is too long */
export function requireShortKey(key: string): string {
  if (Buffer.byteLength(key) <= MAX_KEY_BYTES - 1) return key;
  const message = `Expected a shorter path: a bucket holds keys of ${MAX_KEY_BYTES} bytes at most.`;
  throw badRequest(message, 'invalid_path');
}

function toPath(text: string): StoragePath | undefined {
  try {
    let path = ROOT;
    for (const name of text.split('/')) path = childPath(path, name);
    return path === text && baseName(path) !== '' ? path : undefined;
  } catch {
    return undefined;
  }
}
