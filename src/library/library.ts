import type { PathLock } from '../cluster/cluster.ts';
import { badRequest, conflict } from '../errors.ts';
import { baseName, childPath, isWithin, newChildPath, parentOf, quote, ROOT, type StoragePath } from '../path.ts';
import { BlobConflict, BlobExists, type BlobStore } from '../storage/blob-store.ts';
import { Cleaner, type CleanerOptions, type Cleanup } from './cleanup.ts';
import type { Existing, HasBytes } from './existing.ts';
import { copyNames, FreeNames, numberedNames } from './free-names.ts';
import { expectedFile, noFile, noFileOrFolder } from './problems.ts';
import type { Redirecting } from './redirects.ts';
import type { Versions } from './versions.ts';

export interface LibraryOptions extends CleanerOptions {
  lock: PathLock;
  versions: Pick<Versions, 'removing'>;
  hasBytes: HasBytes;
  redirects?: Pick<Redirecting, 'whileMoving'>;
  assertMovable?: AssertMovable | undefined;
}

/**
 * Refuses to rename, move or remove a folder that has to stay where it is.
 * @throws HttpProblem 409 for the folder of a space, and for those above it
 */
export type AssertMovable = (path: StoragePath) => void;

export interface MoveOptions {
  /** Redirects the previous path to the new one. */
  isRedirected?: boolean | undefined;
}

/** Location of a new file. */
export interface Added {
  path: StoragePath;
  size: number;
  /** True if it existed already. */
  isSkipped: boolean;
}

export type NotePath = (path: StoragePath) => Promise<void>;

/** Limit of files with numbered names that are compared with a new one. */
const MAX_COMPARED = 100;

/**
 * Changes originals. Changes of the same path are serialized. Each takes effect for every reader immediately: the store
 * reports it, and evicts the variants and jobs of the affected files only. Nothing is ever overwritten.
 */
export class Library {
  readonly #options: LibraryOptions;
  readonly #store: BlobStore;
  readonly #cleaner: Cleaner;
  readonly #freeNames: FreeNames;

  constructor(options: LibraryOptions) {
    this.#options = options;
    this.#store = options.originals.store;
    this.#cleaner = new Cleaner(options);
    this.#freeNames = new FreeNames(this.#store);
  }

  /**
   * Moves a local temporary file to the path, or to a numbered name next to it.
   * @param note called with each path before the file is stored there, if it is free; the last one is the final path
   * @throws HttpProblem 409 when the name is taken and that is an error
   */
  async add(path: StoragePath, file: string, existing: Existing = 'rename', note?: NotePath): Promise<Added> {
    const added = existing === 'rename' ? undefined : await this.#addAt(path, file, existing, note);
    if (added) return added;
    if (existing === 'error') throw conflict(`There is a file or folder ${quote(path)} already.`, 'name_taken');
    return this.#freeNames.use(path, numberedNames(path, 'file'), ({ path: free, seenAt }) =>
      this.#change([free], async () => {
        await note?.(free);
        const { size } = await this.#store.adopt(free, file, { existing: 'keep', seenAt });
        return { path: free, size, isSkipped: false };
      }),
    );
  }

  /** Returns false when the folder existed already. @throws BlobConflict when a file has the path */
  createFolder(folder: StoragePath): Promise<boolean> {
    return this.#change([folder], () => this.#store.createFolder(folder));
  }

  /** Renames a file or folder in its folder. @throws HttpProblem 400, 404; BlobExists, BlobConflict */
  async rename(path: StoragePath, name: string, options: MoveOptions = {}): Promise<StoragePath> {
    requireBelowRoot(path);
    const to = newChildPath(parentOf(path), name);
    await this.#kindOf(path);
    this.#options.assertMovable?.(path);
    return to === path ? path : this.#relocate(path, to, options);
  }

  /**
   * Moves a file or folder into another folder, under a numbered name if its own is taken. @throws HttpProblem 400, 404
   */
  async move(path: StoragePath, destination: StoragePath, options: MoveOptions = {}): Promise<StoragePath> {
    requireBelowRoot(path);
    const kind = await this.#kindOf(path);
    this.#options.assertMovable?.(path);
    if (parentOf(path) === destination)
      throw badRequest(`${quote(path)} is already in that folder.`, 'invalid_destination');
    if (kind === 'folder' && isWithin(destination, path)) {
      const message = `Expected a destination outside ${quote(path)}, received ${quote(destination)}.`;
      throw badRequest(message, 'invalid_destination');
    }
    const target = childPath(destination, baseName(path));
    return this.#freeNames.use(target, numberedNames(target, kind), (free) => this.#relocate(path, free.path, options));
  }

  /** Copies a file into a folder, under its own name or, if taken, as `<name> copy`. @throws HttpProblem 404 */
  copy(path: StoragePath, destination = parentOf(path)): Promise<StoragePath> {
    const target = childPath(destination, requireBelowRoot(path));
    return this.#freeNames.use(target, copyNames(target), ({ path: to }) =>
      this.#change([path, to], async () => {
        if (!(await this.#store.stat(path))) throw noFile(path);
        await this.#store.copy(path, to, { existing: 'keep' });
        return to;
      }),
    );
  }

  /**
   * Removes a file, or with `recursive` a folder with its content. @throws HttpProblem 400 for a folder otherwise, 404
   */
  remove(path: StoragePath, { recursive }: { recursive: boolean }): Promise<Cleanup> {
    return this.#change([path], async () => {
      const isFolder = (await this.#kindOf(path)) === 'folder';
      if (isFolder && (!recursive || path === ROOT)) throw expectedFile(path);
      this.#options.assertMovable?.(path);
      return this.#options.versions.removing(path, () => this.#remove(path, isFolder));
    });
  }

  /** Deletes the variants of a file, or of all files in a folder; the originals stay. */
  async invalidate(path: StoragePath): Promise<Cleanup> {
    requireBelowRoot(path);
    return this.#cleaner.variantsAt(path);
  }

  /** Deletes all variants. */
  clearVariants() {
    return this.#cleaner.allVariants();
  }

  /** Returns the existing location of the file, or the path itself; undefined when another entry has that. */
  #addAt(
    path: StoragePath,
    file: string,
    existing: 'skip' | 'error',
    note: NotePath | undefined,
  ): Promise<Added | undefined> {
    return this.#change([path], async () => {
      const same = existing === 'skip' ? await this.#findSame(path, file) : undefined;
      if (same) return same;
      if (note && !(await this.#store.stat(path))) await note(path);
      try {
        const { size } = await this.#store.adopt(path, file, { existing: 'keep' });
        return { path, size, isSkipped: false };
      } catch (error) {
        if (error instanceof BlobExists || error instanceof BlobConflict) return undefined;
        throw error;
      }
    });
  }

  /** Finds the file with the same bytes, by the path or by the numbered names up to the first free one. */
  async #findSame(path: StoragePath, file: string): Promise<Added | undefined> {
    for (const name of numberedNames(path, 'file').take(MAX_COMPARED)) {
      const stored = await this.#store.stat(name);
      if (!stored) return undefined;
      if (await this.#options.hasBytes(name, stored, file)) return { path: name, size: stored.size, isSkipped: true };
    }
    return undefined;
  }

  /** Runs a change with an exclusive lock on its paths. */
  #change<T>(paths: readonly StoragePath[], work: () => Promise<T>): Promise<T> {
    return this.#options.lock.run(paths, work);
  }

  /** Moves `from` to a free path. @throws BlobExists, BlobConflict */
  #relocate(from: StoragePath, to: StoragePath, { isRedirected = false }: MoveOptions): Promise<StoragePath> {
    const { redirects } = this.#options;
    return this.#change([from, to], async () => {
      const isFolder = (await this.#kindOf(from)) === 'folder';
      const move = async () => {
        if (isFolder) await this.#store.moveFolder(from, to);
        else await this.#store.move(from, to, { existing: 'keep' });
      };
      await (isRedirected && redirects ? redirects.whileMoving({ from, to, isFolder }, move) : move());
      if (isFolder) await this.#cleaner.movedFolder(from, to);
      else await this.#cleaner.file(from);
      return to;
    });
  }

  async #remove(path: StoragePath, isFolder: boolean): Promise<Cleanup> {
    if (isFolder) return this.#cleaner.folder(path, () => this.#store.removeFolder(path));
    if (!(await this.#store.remove(path))) throw noFile(path);
    return this.#cleaner.file(path);
  }

  async #kindOf(path: StoragePath): Promise<'file' | 'folder'> {
    if (path !== ROOT && (await this.#store.stat(path))) return 'file';
    if (await this.#store.folderExists(path)) return 'folder';
    throw noFileOrFolder(path);
  }
}

function requireBelowRoot(path: StoragePath): string {
  if (path === ROOT) throw badRequest('Expected the path of a file or folder, received none.', 'missing_input');
  return baseName(path);
}
