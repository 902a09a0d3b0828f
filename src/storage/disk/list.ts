import type { Dirent } from 'node:fs';
import { opendir } from 'node:fs/promises';
import { join } from 'node:path';
import { baseName, childPath, ROOT, type StoragePath } from '../../path.ts';
import { byCodeUnits, sortInPieces } from '../../runtime/in-pieces.ts';
import type { BlobEntry, FolderLevel } from '../blob-store.ts';
import { exists, findFile, isMissing, leadsToFolder, resolveInside, statFile } from './resolve.ts';

/** An entry of a folder that has not been inspected yet. */
interface FolderEntry {
  path: StoragePath;
  /** Its path on the disk. */
  file: string;
  entry: Dirent;
}

/** Number of entries that are read and inspected together. */
const BATCH = 64;

/** Lists one level, as `BlobStore.list`. */
export async function listLevel(
  root: string,
  folder: StoragePath,
  limit = Number.POSITIVE_INFINITY,
): Promise<FolderLevel> {
  const folders: StoragePath[] = [];
  const files: BlobEntry[] = [];
  for await (const batch of readFolder(root, folder)) {
    const found = await inspect(root, batch);
    folders.push(...found.folders);
    files.push(...found.files);
    if (folders.length + files.length >= limit) break;
  }
  return {
    folders: await sortInPieces(folders, byCodeUnits),
    files: await sortInPieces(files, (one, other) => byCodeUnits(one.path, other.path)),
  };
}

/** Yields every file below a folder. A linked folder is not entered, so that the walk ends. */
export async function* walkFiles(root: string, folder: StoragePath): AsyncGenerator<BlobEntry> {
  const waiting = [folder];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    for await (const batch of readFolder(root, next)) {
      for (const { path, entry } of batch) if (entry.isDirectory()) waiting.push(path);
      yield* (await inspect(root, batch)).files;
    }
  }
}

/** Returns every folder below another one. Linked folders are included, the folders in them are not. */
export async function listFolders(root: string, below: StoragePath = ROOT): Promise<StoragePath[]> {
  const found: StoragePath[] = [];
  const waiting = [below];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    for await (const batch of readFolder(root, next)) {
      for (const { path, entry } of batch) {
        if (entry.isDirectory()) waiting.push(path);
        else if (!entry.isSymbolicLink() || !(await leadsToFolder(root, path))) continue;
        found.push(path);
      }
    }
  }
  return sortInPieces(found, byCodeUnits);
}

/** Yields the entries of a folder in batches, unordered; none for a missing folder. */
export async function* readFolder(root: string, folder: StoragePath, size = BATCH): AsyncGenerator<FolderEntry[]> {
  const real = await resolveInside(root, folder);
  if (real === undefined) return;
  let batch: FolderEntry[] = [];
  try {
    for await (const entry of await opendir(real, { bufferSize: size })) {
      const path = nameIn(folder, entry.name);
      const isShown = path !== undefined && (baseName(path) === entry.name || !(await isHidden(real, path)));
      if (isShown) batch.push({ path, file: join(real, entry.name), entry });
      if (batch.length < size) continue;
      yield batch;
      batch = [];
    }
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
  yield batch;
}

/** Inspects entries, unordered; omits those that are neither folder nor file, and those just deleted. */
export async function inspect(root: string, entries: readonly FolderEntry[]): Promise<FolderLevel> {
  const level: FolderLevel = { folders: [], files: [] };
  for (const child of await Promise.all(entries.map((entry) => inspectOne(root, entry)))) {
    if (typeof child === 'string') level.folders.push(child);
    else if (child !== undefined) level.files.push(child);
  }
  return level;
}

/** Returns a folder as its path and a file as its entry. */
async function inspectOne(
  root: string,
  { path, file, entry }: FolderEntry,
): Promise<StoragePath | BlobEntry | undefined> {
  if (entry.isDirectory()) return path;
  if (entry.isSymbolicLink() && (await leadsToFolder(root, path))) return path;
  const found = entry.isSymbolicLink()
    ? (await findFile(root, path))?.stat
    : entry.isFile()
      ? await statFile(file)
      : undefined;
  return found && { path, ...found };
}

/**
 * Returns the path of a name on the disk: composed or decomposed.
 * @returns undefined for a name that no path leads to, such as one with a backslash or of mixed NFC and NFD
 */
export function nameIn(folder: StoragePath, name: string): StoragePath | undefined {
  try {
    const path = childPath(folder, name);
    const composed = baseName(path);
    return composed === name || composed.normalize('NFD') === name ? path : undefined;
  } catch {
    return undefined;
  }
}

/** True for the path of a decomposed name next to which the composed one exists. @param real the folder on the disk */
export function isHidden(real: string, path: StoragePath): Promise<boolean> {
  return exists(join(real, baseName(path)));
}
