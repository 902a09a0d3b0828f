import { ROOT, type StoragePath } from '../../path.ts';
import { mapInPieces } from '../../runtime/in-pieces.ts';
import {
  type BlobEntry,
  type BlobStore,
  type FolderLevel,
  type FolderPart,
  missing,
  occupied,
  rootStays,
} from '../../storage/blob-store.ts';
import { consume } from '../../storage/byte-source.ts';
import { toInnerRefusal, translatingRefusals } from './refusals.ts';
import type { Root } from './root.ts';

/**
 * View of a store whose root is the folder of a space. That root exists like any other: also when the folder was
 * deleted by another program, and whatever is written, moved or removed. Links that the operator made in the folder
 * lead where they lead, also out of it.
 */
export function rootedStore(base: BlobStore, root: Root): BlobStore {
  const { toOuter, toInner } = root;
  const run = <T>(work: () => Promise<T>) => translatingRefusals(root, work);
  const toInnerEntry = (entry: BlobEntry): BlobEntry => ({ ...entry, path: toInner(entry.path) });

  return {
    async *freeNames(names) {
      const free = base.freeNames(mapped(names, toOuter));
      for await (const { path, seenAt } of translatingAll(root, free)) yield { path: toInner(path), seenAt };
    },
    async stat(path) {
      return path === ROOT ? undefined : run(() => base.stat(toOuter(path)));
    },
    open: (path, options) => run(() => base.open(sourceOf(path), options)),
    async withLocalFile(path, use, signal, etag) {
      let failure: { error: unknown } | undefined;
      // Errors of the caller have inner paths already.
      const useAndNote = async (file: string) => {
        try {
          return await use(file);
        } catch (error) {
          failure = { error };
          throw error;
        }
      };
      try {
        return await base.withLocalFile(sourceOf(path), useAndNote, signal, etag);
      } catch (error) {
        throw failure?.error === error ? error : toInnerRefusal(error, root);
      }
    },
    list: (folder, options) => run(async () => toInnerLevel(await base.list(toOuter(folder), options))),
    async *walk(folder) {
      for await (const entry of translatingAll(root, base.walk(toOuter(folder)))) yield toInnerEntry(entry);
    },
    folders: (below = ROOT) => run(async () => mapInPieces(await base.folders(toOuter(below)), toInner)),
    async folderExists(folder) {
      return folder === ROOT || run(() => base.folderExists(toOuter(folder)));
    },
    async *scan(folder, { digests, ...options } = {}) {
      const outerDigests = digests && new Map(Array.from(digests, ([one, digest]) => [toOuter(one), digest]));
      let hasParts = false;
      for await (const part of translatingAll(
        root,
        base.scan(toOuter(folder), { ...options, digests: outerDigests }),
      )) {
        hasParts = true;
        yield { ...part, folder: toInner(part.folder), ...(await toInnerLevel(part)) };
      }
      if (folder === ROOT && !hasParts) yield EMPTY_ROOT;
    },
    folderFingerprint: (folder) => run(() => base.folderFingerprint(toOuter(folder))),
    renewFingerprint: (folder) => run(() => base.renewFingerprint(toOuter(folder))),

    write: (path, source, options) =>
      run(() =>
        path === ROOT
          ? consume(source, options?.signal, async () => Promise.reject(rootStands()))
          : base.write(toOuter(path), source, options),
      ),
    adopt: (path, file, options) => run(() => base.adopt(targetOf(path), file, options)),
    copy: (from, to, options) => run(() => base.copy(sourceOf(from), targetOf(to), options)),
    move: (from, to, options) => run(() => base.move(sourceOf(from), targetOf(to), options)),
    async remove(path) {
      return path !== ROOT && run(() => base.remove(toOuter(path)));
    },
    async createFolder(folder) {
      return folder !== ROOT && run(() => base.createFolder(toOuter(folder)));
    },
    moveFolder: (from, to) => run(() => base.moveFolder(toOuter(from), toOuter(to))),
    async removeFolder(folder) {
      if (folder === ROOT) throw rootStays();
      return run(() => base.removeFolder(toOuter(folder)));
    },
  };

  async function toInnerLevel({ folders, files }: FolderLevel): Promise<FolderLevel> {
    return { folders: await mapInPieces(folders, toInner), files: await mapInPieces(files, toInnerEntry) };
  }

  /** Outer path of a file that is read; the root is none. */
  function sourceOf(path: StoragePath): StoragePath {
    if (path === ROOT) throw missing(ROOT);
    return toOuter(path);
  }

  /** Outer path of a file that is written; the root is a folder. */
  function targetOf(path: StoragePath): StoragePath {
    if (path === ROOT) throw rootStands();
    return toOuter(path);
  }
}

const rootStands = () => occupied('folder', ROOT);

const EMPTY_ROOT: FolderPart = { folder: ROOT, fingerprint: undefined, folders: [], files: [] };

async function* translatingAll<T>(root: Root, items: AsyncIterable<T>): AsyncGenerator<T> {
  try {
    yield* items;
  } catch (error) {
    throw toInnerRefusal(error, root);
  }
}

function* mapped<T>(items: Iterable<T>, map: (item: T) => T): Generator<T> {
  for (const item of items) yield map(item);
}
