import { link, lstat, mkdir, open, opendir, rename, rmdir, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { hasCode } from '../../errors.ts';
import { baseName, parentOf, ROOT, type StoragePath } from '../../path.ts';
import { removeFile } from '../../runtime/remove-file.ts';
import { BlobConflict, type BlobStat, occupied, taken } from '../blob-store.ts';
import { type ByteSource, consume } from '../byte-source.ts';
import { isFolder, placeIn, resolveInside, toBlobStat } from './resolve.ts';

const REMOVAL_CONCURRENCY = 64;

/** Writes a source to a new local file. After an error the file may be there, whole or in part. */
export async function saveSource(source: ByteSource, file: string, signal?: AbortSignal): Promise<void> {
  await consume(source, signal, async (chunks) => {
    await using handle = await open(file, 'wx');
    for await (const chunk of chunks) await handle.appendFile(chunk);
  });
}

/**
 * Sets the time of a complete file to now and makes its bytes durable, before anything refers to it.
 * @param begin runs while the disk writes
 */
export async function settle(file: string, begin?: () => Promise<void>): Promise<BlobStat> {
  await using handle = await open(file, 'r');
  // The file system's own clock ticks every few ms, and an inode may be reused within a tick: two versions of one size
  // could look the same. So the time is set to the microsecond.
  const now = (Date.now() + (performance.now() % 1)) / 1000;
  await handle.utimes(now, now);
  await Promise.all([handle.sync(), begin?.()]);
  return toBlobStat(await handle.stat({ bigint: true }));
}

/**
 * Moves a local file to `path`, durably. Replaces an existing file, unless it is to be kept.
 * @throws BlobExists, BlobConflict as `BlobStore.write`
 */
export async function place(
  root: string,
  file: string,
  path: StoragePath,
  existing: 'replace' | 'keep' = 'replace',
  retries = 10,
): Promise<void> {
  let target: string;
  try {
    const folder = await ensureFolder(root, parentOf(path));
    target = await placeIn(folder, baseName(path));
    // Renaming onto a link replaces the link, also one to a folder.
    if (await isFolder(target)) throw occupied('folder', path);
    await (existing === 'keep' ? link : rename)(file, target);
    await syncFolder(folder);
  } catch (cause) {
    if (hasCode(cause, 'EEXIST')) throw taken(path, cause);
    if (hasCode(cause, 'EISDIR')) throw occupied('folder', path, cause);
    // The folder may have been removed or moved just after it was found.
    if (hasCode(cause, 'ENOENT') && retries > 0) return place(root, file, path, existing, retries - 1);
    throw cause;
  }
  if (existing === 'replace') return;
  await removeFile(file).catch(async (error) => {
    // A file that is not stored is better than one that is stored twice.
    await unlink(target).catch(() => undefined);
    throw error;
  });
}

/**
 * Creates a folder with its parents, durably, and returns its real path.
 * @throws BlobConflict when the name is taken by something else
 */
export async function ensureFolder(root: string, folder: StoragePath): Promise<string> {
  const there = await resolveInside(root, folder);
  if (there !== undefined && (await isFolder(there))) return there;
  if (folder === ROOT) throw new Error('The root of the storage is missing.');
  const parent = await ensureFolder(root, parentOf(folder));
  const made = await placeIn(parent, baseName(folder));
  try {
    await mkdir(made);
  } catch (cause) {
    if (!hasCode(cause, 'EEXIST')) throw cause;
    // Another client created it in the same moment, or it is no folder.
    if ((await lstat(made)).isDirectory()) return made;
    const message = (quoted: string) => `Expected a folder at ${quoted}, found something else.`;
    throw new BlobConflict(message, { paths: [folder], cause });
  }
  await syncFolder(parent);
  return made;
}

/** Removes a folder with its contents, a few files at a time: a recursive `rm` starts with all of them concurrently. */
export async function removeTree(folder: string): Promise<void> {
  let files: string[] = [];
  const removeFiles = async () => {
    await Promise.all(files.map((file) => unlink(file)));
    files = [];
  };
  for await (const entry of await opendir(folder)) {
    if (entry.isDirectory()) await removeTree(join(folder, entry.name));
    else files.push(join(folder, entry.name));
    if (files.length === REMOVAL_CONCURRENCY) await removeFiles();
  }
  await removeFiles();
  await rmdir(folder);
}

/** Writes a small file durably. Readers see the earlier one or this one. */
export async function replaceFile(file: string, content: string): Promise<void> {
  const written = `${file}.new`;
  {
    await using handle = await open(written, 'w');
    await handle.writeFile(content);
    await handle.sync();
  }
  await rename(written, file);
  await syncFolder(dirname(file));
}

/** Makes changes of a folder's entries durable. */
export async function syncFolder(folder: string): Promise<void> {
  try {
    await using handle = await open(folder, 'r');
    await handle.sync();
  } catch (error) {
    // Some network file systems cannot do this, and a folder deleted meanwhile has nothing to lose.
    if (!hasCode(error, 'EINVAL', 'ENOTSUP', 'ENOENT')) throw error;
  }
}
