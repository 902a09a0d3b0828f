import { badRequest } from '../../errors.ts';
import { isWithin, MAX_PATH_BYTES, ROOT, type StoragePath } from '../../path.ts';

/**
 * Folder of a space, and the translation of paths: inner ones are relative to it, as everything above the rooted
 * contracts sees them; outer ones are paths of the library, as everything below does.
 */
export interface Root {
  /** Outer path of the folder. */
  readonly folder: StoragePath;
  /**
   * Outer path of an inner one.
   * @throws Error for a hidden path or the name of a lock, which have no outer path; HttpProblem 400 when it is too long
   */
  toOuter(path: StoragePath): StoragePath;
  /** Inner path of an outer one. @throws Error for a path outside of the folder */
  toInner(path: StoragePath): StoragePath;
  /** True if an outer path is the folder or lies inside it. */
  contains(path: StoragePath): boolean;
}

/** Hidden paths of the catalog begin with a slash, names of locks with NUL. No path of a user begins so. */
export const isReserved = (path: StoragePath) => path.startsWith('/') || path.includes('\0');

/** Upper bound of the bytes of a UTF-16 code unit in UTF-8. */
const MAX_UNIT_BYTES = 3;

/** @param folder outer path of the space's folder; not the root of the library */
export function createRoot(folder: StoragePath): Root {
  const maxBytes = MAX_PATH_BYTES - Buffer.byteLength(folder) - 1;

  function refuseLong(path: StoragePath): void {
    if (path.length * MAX_UNIT_BYTES <= maxBytes || Buffer.byteLength(path) <= maxBytes) return;
    const message = `Expected a path of at most ${maxBytes} bytes, received ${Buffer.byteLength(path)}.`;
    throw badRequest(message, 'invalid_path');
  }

  return {
    folder,
    toOuter(path) {
      if (isReserved(path)) throw new Error(`Expected a path, received ${JSON.stringify(path)}.`);
      refuseLong(path);
      return path === ROOT ? folder : (`${folder}/${path}` as StoragePath);
    },
    toInner(path) {
      if (!isWithin(path, folder)) throw new Error('Expected a path inside the space, received another.');
      return path.slice(folder.length + 1) as StoragePath;
    },
    contains: (path) => isWithin(path, folder),
  };
}
