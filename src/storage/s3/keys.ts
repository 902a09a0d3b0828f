import { badRequest } from '../../errors.ts';
import { baseName, childPath, ROOT, type StoragePath } from '../../path.ts';

/** Longer keys are refused by every store. */
const MAX_KEY_BYTES = 1024;

/** Translates between the paths of a store and the keys of its bucket. */
export interface Keys {
  /** @throws HttpProblem 400 when the path is too long for a key */
  file(path: StoragePath): string;
  /** The beginning of the keys of everything in a folder. It is also the key of the object that stands for the folder itself. */
  folder(folder: StoragePath): string;
  /** The path of a key; undefined for a key of another program that is no valid path. */
  path(key: string): StoragePath | undefined;
}

/** @param root what all keys begin with: `originals/` */
export function createKeys(root: string): Keys {
  const file = (path: StoragePath) => {
    const key = root + path;
    if (Buffer.byteLength(key) > MAX_KEY_BYTES - 1) {
      throw badRequest(
        `Expected a shorter path: a bucket holds keys of ${MAX_KEY_BYTES} bytes at most.`,
        'invalid_path',
      );
    }
    return key;
  };
  return {
    file,
    folder: (folder) => (folder === ROOT ? root : `${file(folder)}/`),
    path: (key) => toPath(key.slice(root.length).replace(/\/$/, '')),
  };
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
