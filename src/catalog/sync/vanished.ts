import type { PathLock } from '../../cluster/cluster.ts';
import { baseName, isWithin, parentOf, type StoragePath } from '../../path.ts';
import type { BlobReads } from '../../storage/blob-store.ts';
import type { CatalogStore } from '../catalog-store.ts';
import { filePages } from '../file-pages.ts';
import { isTombstone, newTombstone, TOMBSTONES, tombstoneTime } from '../hidden.ts';
import type { FileEntry, Intent, KnownFile } from '../records.ts';
import { eventsOf } from './change-event.ts';
import { findLeaving } from './leaving.ts';
import { bytesOf, type ScanResult } from './scan.ts';
import { isStoredFolder } from './stored-folders.ts';

export interface VanishedOptions {
  rows: CatalogStore;
  store: BlobReads;
  lock: PathLock;
  /** Unfinished change of this service that the scan recovers. */
  recovered?: Intent | undefined;
  signal?: AbortSignal | undefined;
}

/** Threshold of files in a folder: above it, rows are counted first, to see if any is missing. */
const COUNTED = 2000;
const ROWS_PER_STEP = 50;
const ETAGS_PER_QUERY = 500;
/** Limit of tombstones read per step. */
const SWEPT_PER_STEP = 100;

/**
 * Removes the rows of files that a scan has not found. Rows with metadata, and whole folders, become tombstones.
 * @returns true if there are new tombstones whose files may be found elsewhere
 */
export async function removeVanished(result: ScanResult, options: VanishedOptions): Promise<boolean> {
  const removal: Removal = { result, hasTombstones: false, ...options };
  for (const [folder, files] of result.folders) {
    options.signal?.throwIfAborted();
    if (result.known.has(folder) && !result.unchanged.has(folder)) await removeFiles(folder, files, removal);
  }
  const gone = [...result.known.keys()].filter((folder) => !result.folders.has(folder)).sort();
  let last: StoragePath | undefined;
  for (const folder of gone) {
    if (last !== undefined && isWithin(folder, last)) continue;
    last = folder;
    await removeFolder(folder, removal);
  }
  await adoptTombstones(result.appeared, options.rows);
  return removal.hasTombstones;
}

interface Removal extends VanishedOptions {
  result: ScanResult;
  hasTombstones: boolean;
}

async function removeFiles(folder: StoragePath, count: number, removal: Removal): Promise<void> {
  const { rows, result } = removal;
  if (count > COUNTED) {
    const below = (await rows.folders.children(folder)).length;
    if ((await rows.listing.total({ folder })) - below === count) return;
  }
  for await (const page of filePages(rows, folder)) {
    const unseen = page.filter(({ id }) => id <= result.lastId && !result.seen.has(id));
    await removeMissing(unseen, removal);
  }
}

async function removeMissing(files: readonly KnownFile[], removal: Removal): Promise<void> {
  const missing: KnownFile[] = [];
  for (const file of files) if (await isMissing(removal.store, file.path)) missing.push(file);
  if (missing.length === 0) return;
  // An own change may have removed the file; its row is about to follow.
  const paths = missing.map(({ path }) => path);
  await removal.lock.run(paths, () => removeGone(missing, removal));
}

async function removeGone(files: readonly KnownFile[], removal: Removal): Promise<void> {
  const { rows, store, result, recovered } = removal;
  const removed: KnownFile[] = [];
  const vanished: KnownFile[] = [];
  const isLeaving = await findLeaving(rows, recovered);
  for (const file of files) {
    if (!(await isMissing(store, file.path)) || isLeaving(file.path)) continue;
    // In a store that identifies files by their bytes, a row without metadata may also be that of a moved file.
    const isRetained = file.hasWords || (file.fileId === null && result.appeared.has(bytesOf(file)));
    const found = file.hasWords && !isOwnRemoval(removal) ? await findElsewhere(file, removal) : undefined;
    if (found) await rows.files.move(file.path, found);
    else (isRetained && !isOwnRemoval(removal) ? vanished : removed).push(file);
  }
  if (vanished.length > 0) {
    await rows.files.relocate(vanished, newTombstone());
    removal.hasTombstones = true;
  }
  if (removed.length > 0)
    await rows.inOneStep(async (step) => {
      const ids = new Set(await step.files.removeUnchanged(removed));
      // A file that was moved meanwhile has an event of its own.
      const gone = removed.filter(({ id }) => ids.has(id));
      if (isOwnRemoval(removal)) await step.events.add(gone.flatMap(({ path }) => goneEvents('remove', path)));
    });
}

const goneEvents = (kind: 'remove' | 'removeFolder', path: StoragePath) => eventsOf({ kind, from: path }, true);

/** True for removals by this service: they leave no tombstone, and are reported. */
const isOwnRemoval = ({ recovered }: Pick<Removal, 'recovered'>) => recovered?.kind === 'removeFolder';

/** The present entry of a file that lost its name, if it has a row without metadata there. */
async function findElsewhere(file: KnownFile, { rows, store }: Removal): Promise<FileEntry | undefined> {
  if (file.fileId === null) return undefined;
  for (const { id, path, hasWords } of await rows.files.identified([file.fileId])) {
    if (id === file.id || hasWords || isTombstone(path)) continue;
    const stat = await store.stat(path);
    if (stat?.fileId === file.fileId) return { path, ...stat };
  }
  return undefined;
}

/** True for missing files, and for files behind a link. */
async function isMissing(store: BlobReads, path: StoragePath): Promise<boolean> {
  return !(await store.stat(path)) || (await store.folderFingerprint(parentOf(path))) === null;
}

async function removeFolder(folder: StoragePath, removal: Removal): Promise<void> {
  const { rows, store, lock, recovered } = removal;
  await lock.run([folder], async () => {
    const isLeaving = await findLeaving(rows, recovered);
    if ((await isStoredFolder(folder, store)) || isLeaving(folder)) return;
    if (isOwnRemoval(removal)) await rows.events.add(goneEvents('removeFolder', folder));
    if (isOwnRemoval(removal) || (await rows.usage.total(folder)).fileCount === 0) {
      await rows.folders.remove(folder);
      return;
    }
    await rows.folders.move(folder, `${newTombstone()}/${baseName(folder)}` as StoragePath);
    removal.hasTombstones = true;
  });
}

/** Assigns tombstones to new files with the same bytes, in a store without file identities. */
async function adoptTombstones(appeared: ReadonlyMap<string, readonly FileEntry[]>, rows: CatalogStore): Promise<void> {
  const entries = [...appeared.values()].flat();
  for (let start = 0; start < entries.length; start += ETAGS_PER_QUERY) {
    const some = entries.slice(start, start + ETAGS_PER_QUERY);
    const tombstones = (await rows.files.vanished(some.map(({ etag }) => etag))).filter(
      ({ fileId }) => fileId === null,
    );
    if (tombstones.length === 0) continue;
    const byBytes = Map.groupBy(tombstones.sort(byTime), bytesOf);
    const adoptions = some.flatMap((entry) => {
      const source = takeBest(byBytes.get(bytesOf(entry)) ?? [], entry);
      return source ? [{ source, entry }] : [];
    });
    for (let at = 0; at < adoptions.length; at += ROWS_PER_STEP)
      await rows.inOneStep(async (step) => {
        for (const { source, entry } of adoptions.slice(at, at + ROWS_PER_STEP)) {
          const [present] = await step.files.named(parentOf(entry.path), [baseName(entry.path)]);
          if (present?.etag === entry.etag && !present.hasWords) await step.files.move(source.path, entry);
        }
      });
  }
}

const byTime = (one: KnownFile, other: KnownFile) => tombstoneTime(one.path) - tombstoneTime(other.path);

/** Returns the latest tombstone with the same name, else the latest one. */
function takeBest(tombstones: KnownFile[], { path }: FileEntry): KnownFile | undefined {
  const named = tombstones.findLastIndex((one) => baseName(one.path) === baseName(path));
  return tombstones.splice(named, 1)[0];
}

/** Removes the tombstones from before a time, in milliseconds since 1970. */
export async function sweepTombstones({ folders }: Pick<CatalogStore, 'folders'>, before: number, signal: AbortSignal) {
  for (;;) {
    const oldest = await folders.children(TOMBSTONES, SWEPT_PER_STEP);
    if (oldest.length === 0) return;
    for (const { path } of oldest) {
      if (signal.aborted || tombstoneTime(path) >= before) return;
      await folders.remove(path);
    }
  }
}
