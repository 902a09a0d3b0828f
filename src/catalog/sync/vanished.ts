import type { PathLock } from '../../cluster/cluster.ts';
import { isWithin, parentOf, type StoragePath } from '../../path.ts';
import type { BlobReads } from '../../storage/blob-store.ts';
import type { CatalogStore } from '../catalog-store.ts';
import { filePages } from '../file-pages.ts';
import { hiddenId } from '../hidden.ts';
import type { FileEntry, Intent, KnownFile } from '../records.ts';
import { eventsOf } from './change-event.ts';
import { findLeaving } from './leaving.ts';
import { bytesOf, type Findings } from './scan.ts';

export interface VanishedOptions {
  rows: CatalogStore;
  store: BlobReads;
  lock: PathLock;
  /** Whether the scan has seen everything, so that what it has not found is nowhere. */
  seesAll: boolean;
  /** The change of ours that did not come to its end, and is made up for by this. */
  madeUp?: Intent | undefined;
  signal?: AbortSignal | undefined;
}

/** What is gone, but may be found elsewhere with its words. Until then nobody is to see it. */
export interface Hidden {
  files: KnownFile[];
  folders: StoragePath[];
}

/** Of a folder with more files than this, it is first counted whether any is missing. */
const COUNTED = 2000;

/** Removes the rows of what a scan has not found. One that may have been moved is kept and named, unless the scan has seen everything. */
export async function removeVanished(findings: Findings, options: VanishedOptions): Promise<Hidden> {
  const hidden: Hidden = { files: [], folders: [] };
  for (const [folder, files] of findings.folders) {
    options.signal?.throwIfAborted();
    if (findings.known.has(folder) && !findings.unchanged.has(folder))
      await removeFiles(folder, files, { findings, hidden, ...options });
  }
  const gone = [...findings.known.keys()].filter((folder) => !findings.folders.has(folder)).sort();
  let last: StoragePath | undefined;
  for (const folder of gone) {
    if (last !== undefined && isWithin(folder, last)) continue;
    last = folder;
    await removeFolder(folder, { findings, hidden, ...options });
  }
  return hidden;
}

interface Removal extends VanishedOptions {
  findings: Findings;
  hidden: Hidden;
}

async function removeFiles(folder: StoragePath, count: number, removal: Removal): Promise<void> {
  const { rows, findings } = removal;
  if (count > COUNTED) {
    const below = (await rows.folders.children(folder)).length;
    if ((await rows.listing.total({ folder })) - below === count) return;
  }
  for await (const page of filePages(rows, folder)) {
    const unseen = page.filter(({ id }) => id <= findings.lastId && !findings.seen.has(id));
    await removeMissing(unseen, removal);
  }
}

async function removeMissing(files: readonly KnownFile[], removal: Removal): Promise<void> {
  const missing: KnownFile[] = [];
  for (const file of files) if (await isMissing(removal.store, file.path)) missing.push(file);
  if (missing.length === 0) return;
  // A change of ours may have taken it away, whose row is still to follow.
  const paths = missing.map(({ path }) => path);
  await removal.lock.run(paths, () => removeGone(missing, removal));
}

async function removeGone(files: readonly KnownFile[], removal: Removal): Promise<void> {
  const { rows, store, seesAll, findings, hidden, madeUp } = removal;
  const removed: KnownFile[] = [];
  const isLeaving = await findLeaving(rows, madeUp);
  for (const file of files) {
    if (!(await isMissing(store, file.path)) || isLeaving(file.path)) continue;
    const isWanted = file.hasWords && !wasRemovedByUs(removal);
    const found = isWanted ? await findElsewhere(file, { rows, store, appeared: findings.appeared }) : undefined;
    if (found) await rows.files.move(file.path, found);
    else if (isWanted && !seesAll) hidden.files.push(file);
    else removed.push(file);
  }
  if (removed.length > 0)
    await rows.inOneStep(async (step) => {
      const ids = new Set(await step.files.removeUnchanged(removed));
      // A file that was moved since has been told of.
      const gone = removed.filter(({ id }) => ids.has(id));
      if (wasRemovedByUs(removal)) await step.events.add(gone.flatMap(({ path }) => goneEvents('remove', path)));
    });
}

const goneEvents = (kind: 'remove' | 'removeFolder', path: StoragePath) => eventsOf({ kind, from: path }, true);

/** Nobody has taken it elsewhere, and others are to hear of it. */
const wasRemovedByUs = ({ madeUp }: Pick<Removal, 'madeUp'>) => madeUp?.kind === 'removeFolder';

/** Where the file is now that has lost its name, when it has no words there. */
async function findElsewhere(
  file: KnownFile,
  { rows, store, appeared }: Pick<Removal, 'rows' | 'store'> & Pick<Findings, 'appeared'>,
): Promise<FileEntry | undefined> {
  if (file.fileId === null) {
    const found = appeared.get(bytesOf(file));
    appeared.delete(bytesOf(file));
    return found;
  }
  const others = (await rows.files.identified([file.fileId])).filter(({ id, hasWords }) => id !== file.id && !hasWords);
  for (const { path } of others.filter((other) => hiddenId(other.path) === undefined)) {
    const stat = await store.stat(path);
    if (stat?.fileId === file.fileId) return { path, ...stat };
  }
  return undefined;
}

/** Also what lies behind a link is not there. */
async function isMissing(store: BlobReads, path: StoragePath): Promise<boolean> {
  return !(await store.stat(path)) || (await store.folderMark(parentOf(path))) === null;
}

async function removeFolder(folder: StoragePath, removal: Removal): Promise<void> {
  const { rows, store, lock, seesAll, hidden, madeUp } = removal;
  const isOurs = wasRemovedByUs(removal);
  if (seesAll) await rescueFiles(folder, removal);
  if (!seesAll && !isOurs && (await isPrecious(rows, folder))) {
    if (await isFolderMissing(store, folder)) hidden.folders.push(folder);
    return;
  }
  await lock.run([folder], async () => {
    const isLeaving = await findLeaving(rows, madeUp);
    if (!(await isFolderMissing(store, folder)) || isLeaving(folder)) return;
    if (isOurs) await rows.events.add(goneEvents('removeFolder', folder));
    await rows.folders.remove(folder);
  });
}

async function isFolderMissing(store: BlobReads, folder: StoragePath): Promise<boolean> {
  return (await store.folderMark(folder)) === null || !(await store.folderExists(folder));
}

/** Words of files that are found by their bytes, before the folder goes. */
async function rescueFiles(folder: StoragePath, removal: Removal): Promise<void> {
  const { rows, findings } = removal;
  if (findings.appeared.size === 0) return;
  const below = [folder, ...(await rows.folders.below(folder)).map(({ path }) => path)];
  for (const one of below) await removeFiles(one, 0, removal);
}

/** Whether a folder has words, or so many files that nobody can look now. */
async function isPrecious(rows: CatalogStore, folder: StoragePath): Promise<boolean> {
  if ((await rows.usage.total(folder)).fileCount > COUNTED) return true;
  const below = [folder, ...(await rows.folders.below(folder)).map(({ path }) => path)];
  for (const one of below)
    if ((await rows.files.page(one, undefined, COUNTED)).some(({ hasWords }) => hasWords)) return true;
  return false;
}
