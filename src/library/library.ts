import { badRequest, notFound } from '../errors.ts';
import type { Log } from '../log.ts';
import {
  baseName,
  childPath,
  copyName,
  isWithin,
  newChildPath,
  numberedName,
  parentOf,
  quote,
  ROOT,
  type StoragePath,
} from '../path.ts';
import { BlobConflict, BlobExists, type FreeName } from '../storage/blob-store.ts';
import type { VariantStore } from '../storage/cache/variants.ts';
import type { Originals } from '../storage/originals.ts';
import { type Cleanup, createCleaning, type JobsOfOriginal } from './cleaning.ts';
import type { Listing } from './listing.ts';
import type { PathLock } from './path-lock.ts';
import type { Tally, Totals } from './totals.ts';

export interface LibraryOptions {
  originals: Originals;
  variants: VariantStore;
  jobs: JobsOfOriginal;
  listing: Listing;
  totals: Totals;
  lock: PathLock;
  log: Log;
}

type Kind = 'file' | 'folder';

/** How many names are tried before a name counts as used up. */
const MAX_SUFFIX = 10_000;

export type Library = ReturnType<typeof createLibrary>;

/**
 * All changes of the originals. Changes that touch the same path run one after the other; each takes effect for every reader at
 * once and forgets the variants and the jobs of what was there, and only those. Nothing is ever overwritten.
 */
export function createLibrary(options: LibraryOptions) {
  const { originals, listing, totals, lock } = options;
  const { store } = originals;
  const cleaning = createCleaning(options);

  /** Runs a change alone on its paths. */
  function change<T>(paths: readonly StoragePath[], work: (tally: Tally) => Promise<T>): Promise<T> {
    return lock.run(paths, async () => {
      try {
        return await totals.during(work);
      } finally {
        for (const path of paths) listing.forget(path);
      }
    });
  }

  async function kindOf(path: StoragePath): Promise<Kind> {
    if (path !== ROOT && (await store.stat(path))) return 'file';
    if (await store.folderExists(path)) return 'folder';
    throw notFound(`There is no file or folder ${quote(path)}.`);
  }

  /** Names that are about to be taken: who looks meanwhile takes another, and need not look again. */
  const promised = new Set<StoragePath>();

  /** Tries one name after the other that is free; others may take it a moment before. */
  async function underFreeName<T>(
    wanted: StoragePath,
    names: Iterable<StoragePath>,
    use: (name: FreeName) => Promise<T>,
  ): Promise<T> {
    for await (const name of store.freeNames(names)) {
      const { path } = name;
      if (promised.has(path)) continue;
      promised.add(path);
      try {
        return await use(name);
      } catch (error) {
        if (error instanceof BlobExists) continue;
        if (!(error instanceof BlobConflict)) throw error;
        // A folder has the name; or what should be a folder above it is a file.
        if (!(await store.folderExists(path))) throw badRequest(error.message);
      } finally {
        promised.delete(path);
      }
    }
    throw badRequest(`Expected a free name, but ${quote(wanted)} and ${MAX_SUFFIX} numbered ones are taken.`);
  }

  /** Moves what is at `from` to a path where nothing is. @throws BlobExists, BlobConflict */
  function relocate(from: StoragePath, to: StoragePath): Promise<StoragePath> {
    return change([from, to], async () => {
      if ((await kindOf(from)) === 'file') {
        await store.move(from, to, { existing: 'keep' });
        await cleaning.file(from);
        originals.forget(to);
      } else {
        await store.moveFolder(from, to);
        await cleaning.movedFolder(from, to);
      }
      return to;
    });
  }

  return {
    /** Takes over a local temporary file under the path, or under a numbered name beside it. */
    add: (path: StoragePath, file: string): Promise<{ path: StoragePath; size: number }> =>
      underFreeName(path, numberedNames(path, 'file'), ({ path: free, seenAt }) =>
        change([free], async (tally) => {
          const { size } = await store.adopt(free, file, { existing: 'keep', seenAt });
          tally({ size, fileCount: 1 });
          originals.forget(free);
          return { path: free, size };
        }),
      ),

    /** False when it was there already. @throws BlobConflict when a file stands in the way */
    createFolder: (folder: StoragePath): Promise<boolean> => change([folder], () => store.createFolder(folder)),

    /** Gives a file or folder another name in its folder. @throws HttpProblem 400, 404; BlobExists, BlobConflict */
    async rename(path: StoragePath, name: string): Promise<StoragePath> {
      requireBelowRoot(path);
      const to = newChildPath(parentOf(path), name);
      await kindOf(path);
      return to === path ? path : relocate(path, to);
    },

    /** Moves a file or folder into another folder, under a numbered name when its own is taken. @throws HttpProblem 400, 404 */
    async move(path: StoragePath, destination: StoragePath): Promise<StoragePath> {
      requireBelowRoot(path);
      const kind = await kindOf(path);
      if (parentOf(path) === destination) throw badRequest(`${quote(path)} is already in that folder.`);
      if (kind === 'folder' && isWithin(destination, path)) {
        throw badRequest(`Expected a destination outside ${quote(path)}, received ${quote(destination)}.`);
      }
      const target = childPath(destination, baseName(path));
      return underFreeName(target, numberedNames(target, kind), (free) => relocate(path, free.path));
    },

    /** Copies a file into a folder, under its own name or, where that is taken, as `<name> copy`. @throws HttpProblem 404 */
    copy(path: StoragePath, destination = parentOf(path)): Promise<StoragePath> {
      const target = childPath(destination, requireBelowRoot(path));
      return underFreeName(target, copyNames(target), ({ path: to }) =>
        change([path, to], async (tally) => {
          if (!(await store.stat(path))) throw notFound(`There is no file ${quote(path)}.`);
          const { size } = await store.copy(path, to, { existing: 'keep' });
          tally({ size, fileCount: 1 });
          originals.forget(to);
          return to;
        }),
      );
    },

    /** Removes a file, or with `recursive` a folder and all that is in it. @throws HttpProblem 400 for a folder otherwise, 404 */
    remove(path: StoragePath, { recursive }: { recursive: boolean }): Promise<Cleanup> {
      return change([path], async (tally) => {
        if ((await kindOf(path)) === 'folder') {
          if (!recursive || path === ROOT) throw badRequest(`Expected a file, but ${quote(path)} is a folder.`);
          const { cleanup, count } = await cleaning.folder(path, () => store.removeFolder(path));
          tally({ size: -count.size, fileCount: -count.fileCount });
          return cleanup;
        }
        const size = (await store.stat(path))?.size ?? 0;
        if (!(await store.remove(path))) throw notFound(`There is no file ${quote(path)}.`);
        tally({ size: -size, fileCount: -1 });
        return cleaning.file(path);
      });
    },

    /** Forgets the variants of a file, or of all files in a folder; the originals stay. */
    async invalidate(path: StoragePath): Promise<Cleanup> {
      requireBelowRoot(path);
      return cleaning.variantsAt(path);
    },
  };
}

function requireBelowRoot(path: StoragePath): string {
  if (path === ROOT) throw badRequest('Expected the path of a file or folder, received none.');
  return baseName(path);
}

/** `photo.jpg`, `photo (1).jpg`, ...; the dots of a folder's name start no extension. */
function* numberedNames(path: StoragePath, kind: Kind): Generator<StoragePath> {
  const name = baseName(path);
  yield path;
  for (let n = 1; n <= MAX_SUFFIX; n++) {
    yield childPath(parentOf(path), kind === 'file' ? numberedName(name, n) : `${name} (${n})`);
  }
}

/** `photo.jpg`, `photo copy.jpg`, `photo copy (1).jpg`, ... */
function* copyNames(path: StoragePath): Generator<StoragePath> {
  yield path;
  for (let n = 0; n < MAX_SUFFIX; n++) yield childPath(parentOf(path), copyName(baseName(path), n));
}
