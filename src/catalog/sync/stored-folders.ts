import { parentOf, ROOT, type StoragePath } from '../../path.ts';
import type { BlobReads } from '../../storage/blob-store.ts';
import type { CatalogRows, CatalogStore } from '../catalog-store.ts';

/**
 * Adds the rows of the stored folders above a path. A change creates missing parents before anything else: one that is
 * refused or killed after that leaves them without rows. The caller holds the path.
 */
export async function addStoredParents(
  path: StoragePath,
  store: Pick<BlobReads, 'folderFingerprint' | 'folderExists'>,
  { folders }: Pick<CatalogRows, 'folders'>,
): Promise<void> {
  for (let folder = parentOf(path); folder !== ROOT; folder = parentOf(folder)) {
    if (await folders.find(folder)) return;
    if (await isStoredFolder(folder, store)) {
      await folders.add(folder);
      return;
    }
  }
}

/** True for a stored folder that is not behind a link: symlinked folders are not catalogued. */
export async function isStoredFolder(
  folder: StoragePath,
  store: Pick<BlobReads, 'folderFingerprint' | 'folderExists'>,
): Promise<boolean> {
  return (await store.folderFingerprint(folder)) !== null && (await store.folderExists(folder));
}

/**
 * Makes the rows of a folder, and of the folders below it, equal to the stored ones. Missing folders whose rows still
 * have files are left to reconciliation, which keeps their metadata. The caller holds the folder.
 * @param stored the stored folders: `folder` itself, and all below
 */
export async function followFolders(
  folder: StoragePath,
  stored: ReadonlySet<StoragePath>,
  { folders, usage }: Pick<CatalogStore, 'folders' | 'usage'>,
): Promise<void> {
  const known = new Set((await folders.below(folder)).map(({ path }) => path));
  for (const path of stored) if (!known.has(path)) await folders.add(path);
  for (const path of known)
    if (!stored.has(path) && (await usage.total(path)).fileCount === 0) await folders.remove(path);
}

/** Returns a stored folder, and all folders below it. */
export async function storedFolders(folder: StoragePath, store: Pick<BlobReads, 'scan'>): Promise<Set<StoragePath>> {
  const found = new Set([folder]);
  for await (const part of store.scan(folder))
    for (const path of [part.folder, ...part.folders])
      for (let one = path; !found.has(one); one = parentOf(one)) found.add(one);
  return found;
}
