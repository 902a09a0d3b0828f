import type { BigIntStats } from 'node:fs';
import { lstat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { hasCode } from '../../errors.ts';
import type { StoragePath } from '../../path.ts';
import { diskPath, ifThere, isMissing, resolveInside } from './resolve.ts';

/** What a mark is made of. */
export type FolderStats = Pick<BigIntStats, 'dev' | 'ino' | 'mtimeNs' | 'mtimeMs'>;

/** The clock of a file system ticks this often at least, in milliseconds: within a tick, two changes have the same time. */
const TICK_MS = 20;

/** As `BlobStore.folderMark`. */
export async function folderMark(root: string, folder: StoragePath): Promise<string | null> {
  const stats = await statFolder(root, folder);
  return stats ? markOf(stats) : null;
}

/** As `folderMark`, but undefined while a change could still happen in the tick of the last one. */
export async function lastingMark(root: string, folder: StoragePath): Promise<string | null | undefined> {
  const stats = await statFolder(root, folder);
  return stats ? lastingMarkOf(stats) : null;
}

/** The mark of a folder of which this is known, when it will last. */
export function lastingMarkOf(stats: FolderStats): string | undefined {
  return Math.abs(Date.now() - Number(stats.mtimeMs)) < TICK_MS ? undefined : markOf(stats);
}

/** As `BlobStore.markFolder`. The time is set to the microsecond, which no change by the clock's ticks has. */
export async function markFolder(root: string, folder: StoragePath): Promise<string | null | undefined> {
  const real = await resolveUnlinked(root, folder);
  if (real === undefined) return null;
  const now = (Date.now() + (performance.now() % 1)) / 1000;
  try {
    // The slash: a file in its place must not be touched.
    await utimes(join(real, '/'), now, now);
  } catch (error) {
    if (isMissing(error)) return null;
    // A folder of another owner.
    if (hasCode(error, 'EPERM', 'EACCES', 'EROFS')) return undefined;
    throw error;
  }
  const stats = await statIfFolder(real);
  return stats ? markOf(stats) : null;
}

/** Of a folder without a link on its way. */
async function statFolder(root: string, folder: StoragePath): Promise<BigIntStats | undefined> {
  // Together, because every look costs the same wait. What a link leads to is not looked at.
  const [real, stats] = await Promise.all([resolveUnlinked(root, folder), statIfFolder(join(root, folder))]);
  if (real === undefined) return undefined;
  return real === join(root, folder) ? stats : statIfFolder(real);
}

async function resolveUnlinked(root: string, folder: StoragePath): Promise<string | undefined> {
  const real = await resolveInside(root, folder);
  if (real === undefined || real === join(root, folder)) return real;
  // Its name on the disk may be decomposed; else a link leads there.
  return real === (await diskPath(root, folder)) ? real : undefined;
}

async function statIfFolder(real: string): Promise<BigIntStats | undefined> {
  const stats = await ifThere(lstat(real, { bigint: true }));
  return stats?.isDirectory() ? stats : undefined;
}

const markOf = ({ dev, ino, mtimeNs }: FolderStats) => `${dev}-${ino}-${mtimeNs}`;
