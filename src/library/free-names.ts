import { badRequest } from '../errors.ts';
import { baseName, childPath, copyName, numberedName, parentOf, quote, type StoragePath } from '../path.ts';
import { BlobConflict, BlobExists, type BlobStore, type FreeName } from '../storage/blob-store.ts';

/** Limit of names tried. */
const MAX_SUFFIX = 10_000;

/** Finds free names, and never returns the same one to two concurrent callers. */
export class FreeNames {
  readonly #store: BlobStore;
  /** Names about to be taken. Other callers skip them. */
  readonly #promised = new Set<StoragePath>();

  constructor(store: BlobStore) {
    this.#store = store;
  }

  /**
   * Tries free names in order until one can be used: another process may take a name just before.
   * @throws HttpProblem 400 when all are taken, or when a parent of the name is a file
   */
  async use<T>(wanted: StoragePath, names: Iterable<StoragePath>, use: (name: FreeName) => Promise<T>): Promise<T> {
    for await (const name of this.#store.freeNames(names)) {
      const { path } = name;
      if (this.#promised.has(path)) continue;
      this.#promised.add(path);
      try {
        return await use(name);
      } catch (error) {
        if (error instanceof BlobExists) continue;
        if (!(error instanceof BlobConflict)) throw error;
        // Either a folder has the name, or one of the folders above it is a file.
        if (!(await this.#store.folderExists(path))) throw badRequest(error.message, 'invalid_destination');
      } finally {
        this.#promised.delete(path);
      }
    }
    const message = `Expected a free name, but ${quote(wanted)} and ${MAX_SUFFIX} numbered ones are taken.`;
    throw badRequest(message, 'no_free_name');
  }
}

/** `photo.jpg`, `photo (1).jpg`, ...; the dots of a folder's name start no extension. */
export function* numberedNames(path: StoragePath, kind: 'file' | 'folder'): Generator<StoragePath> {
  const name = baseName(path);
  yield path;
  for (let n = 1; n <= MAX_SUFFIX; n++) {
    yield childPath(parentOf(path), kind === 'file' ? numberedName(name, n) : `${name} (${n})`);
  }
}

/** `photo.jpg`, `photo copy.jpg`, `photo copy (1).jpg`, ... */
export function* copyNames(path: StoragePath): Generator<StoragePath> {
  yield path;
  for (let n = 0; n < MAX_SUFFIX; n++) yield childPath(parentOf(path), copyName(baseName(path), n));
}
