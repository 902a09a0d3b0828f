import { hash } from 'node:crypto';
import type { BigIntStats } from 'node:fs';
import { lstat, realpath, stat } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { hasCode } from '../../errors.ts';
import { baseName, parentOf, type StoragePath } from '../../path.ts';
import type { BlobStat } from '../blob-store.ts';

/**
 * Returns the real path of a storage path on the disk, with no symbolic link left in it. Every path that is
 * read or changed passes through here. Undefined for a missing path, and for one that a symbolic link leads out of the
 * root.
 */
export async function resolveInside(root: string, path: StoragePath): Promise<string | undefined> {
  const real = (await ifThere(realpath(join(root, path)))) ?? (await resolveDecomposed(root, path));
  return real === root || real?.startsWith(root + sep) ? real : undefined;
}

async function resolveDecomposed(root: string, path: StoragePath): Promise<string | undefined> {
  return hasOtherForm(path) ? ifThere(realpath(await diskPath(root, path))) : undefined;
}

/**
 * Returns the location of a path, with the names as on the disk. Paths are in NFC; other programs, mostly those of
 * Macs, may have written a name decomposed (NFD). Where both exist, the composed one is used.
 */
export async function diskPath(root: string, path: StoragePath): Promise<string> {
  const composed = join(root, path);
  if (!hasOtherForm(path) || (await exists(composed))) return composed;
  let file = root;
  for (const name of path.split('/')) {
    const found = hasOtherForm(name) ? await findName(file, name) : join(file, name);
    // Below a missing name there is nothing: a long path must not cost a check for each of its names.
    if (found === undefined) return composed;
    file = found;
  }
  return file;
}

/** Returns the location of a name in a real folder, even if it is free. It may be a link. */
export async function placeIn(folder: string, name: string): Promise<string> {
  return (hasOtherForm(name) ? await findName(folder, name) : undefined) ?? join(folder, name);
}

/** Returns the location of the name itself, on which a move or a removal acts; undefined for a missing folder. */
export async function placeOf(root: string, path: StoragePath): Promise<string | undefined> {
  const folder = await resolveInside(root, parentOf(path));
  return folder === undefined ? undefined : placeIn(folder, baseName(path));
}

/** True for a text that differs in NFD. ASCII, and most scripts of East Asia, do not. */
function hasOtherForm(text: string): boolean {
  return text.normalize('NFD') !== text;
}

async function findName(folder: string, name: string): Promise<string | undefined> {
  for (const form of [name, name.normalize('NFD')]) {
    const file = join(folder, form);
    if (await exists(file)) return file;
  }
  return undefined;
}

/** True for anything, even a dangling link. */
export async function exists(file: string): Promise<boolean> {
  return (await ifThere(lstat(file))) !== undefined;
}

/**
 * Finds the file that a storage path leads to; undefined for a folder, and for anything else that is no regular file.
 */
export async function findFile(root: string, path: StoragePath): Promise<{ real: string; stat: BlobStat } | undefined> {
  const real = await resolveInside(root, path);
  const found = real === undefined ? undefined : await statFile(real);
  return real === undefined || found === undefined ? undefined : { real, stat: found };
}

export async function statFile(file: string): Promise<BlobStat | undefined> {
  const stats = await ifThere(stat(file, { bigint: true }));
  return stats?.isFile() ? toBlobStat(stats) : undefined;
}

/** True if a storage path leads to a folder. */
export async function leadsToFolder(root: string, path: StoragePath): Promise<boolean> {
  const real = await resolveInside(root, path);
  return real !== undefined && isFolder(real);
}

export async function isFolder(file: string): Promise<boolean> {
  return (await ifThere(stat(file)))?.isDirectory() ?? false;
}

/** True if anything has this name, even a dangling link. */
export async function isTaken(root: string, path: StoragePath): Promise<boolean> {
  return exists(await diskPath(root, path));
}

/** Returns the result of a check, or undefined for a path that leads nowhere. */
export async function ifThere<T>(look: Promise<T>): Promise<T | undefined> {
  try {
    return await look;
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

/** True for the errors of a path that leads nowhere. */
export function isMissing(error: unknown): boolean {
  return hasCode(error, 'ENOENT', 'ENOTDIR', 'ELOOP', 'ENAMETOOLONG');
}

/**
 * Converts a stat. The etag stays with a file when it moves. It is hashed so that it does not reveal the inode number.
 */
export function toBlobStat(stats: BigIntStats): BlobStat {
  return {
    size: Number(stats.size),
    etag: hash('sha256', `${stats.size} ${stats.mtimeNs} ${stats.ino}`, 'base64url').slice(0, 22),
    createdAt: stats.birthtimeMs > 0n ? stats.birthtime : stats.mtime,
    modifiedAt: stats.mtime,
    // A new file soon reuses the inode number of a deleted one.
    fileId: `${stats.dev}-${stats.ino}-${stats.birthtimeNs}`,
  };
}
