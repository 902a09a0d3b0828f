import { opendir, rmdir, stat, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { hasCode } from '../errors.ts';

interface CachedFile {
  file: string;
  size: number;
  usedAt: number;
}

/** How many candidates are held at once, however many files there are. */
const MAX_CANDIDATES = 20_000;

/** Bytes and files below a folder. Files that vanish meanwhile do not count. */
export async function measureFolder(folder: string): Promise<{ size: number; fileCount: number }> {
  const total = { size: 0, fileCount: 0 };
  for await (const { size } of cachedFiles(folder)) {
    total.size += size;
    total.fileCount++;
  }
  return total;
}

/**
 * Removes the files that were used longest ago until at most `targetBytes` are left. The file system is the index: a
 * file's modification time says when it was last used, so the order survives restarts. A file that is being read
 * stays readable to its reader.
 * @returns the bytes that are left
 */
export async function removeOldest(folder: string, targetBytes: number): Promise<number> {
  for (;;) {
    const { total, oldest } = await findOldest(folder);
    let left = total;
    for (const { file, size } of oldest) {
      if (left <= targetBytes) return left;
      if (await removeFile(file)) left -= size;
    }
    // What cannot be removed now is tried again by the next eviction.
    if (left <= targetBytes || left === total) return left;
  }
}

/** Removes a file, and the folder of its original when nothing else is in it. */
async function removeFile(file: string): Promise<boolean> {
  try {
    await unlink(file);
  } catch (error) {
    return hasCode(error, 'ENOENT');
  }
  await rmdir(dirname(file)).catch(() => undefined);
  return true;
}

async function findOldest(folder: string): Promise<{ total: number; oldest: CachedFile[] }> {
  let total = 0;
  let candidates: CachedFile[] = [];
  const keepOldest = () => {
    candidates = candidates.sort((a, b) => a.usedAt - b.usedAt).slice(0, MAX_CANDIDATES);
  };
  for await (const found of cachedFiles(folder)) {
    total += found.size;
    candidates.push(found);
    if (candidates.length >= 2 * MAX_CANDIDATES) keepOldest();
  }
  keepOldest();
  return { total, oldest: candidates };
}

async function* cachedFiles(folder: string): AsyncGenerator<CachedFile> {
  const entries = await opendir(folder).catch(() => undefined);
  for await (const entry of entries ?? []) {
    const file = join(folder, entry.name);
    if (entry.isDirectory()) yield* cachedFiles(file);
    else if (entry.isFile()) {
      const found = await stat(file).catch(() => undefined);
      if (found) yield { file, size: found.size, usedAt: found.mtimeMs };
    }
  }
}
