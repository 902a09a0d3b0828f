import type { BigIntStats } from 'node:fs';
import { lstat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { hasCode } from '../../errors.ts';
import type { StoragePath } from '../../path.ts';
import { diskPath, ifThere, isMissing, resolveInside } from './resolve.ts';

/** Fields of a fingerprint. */
export type FolderStats = Pick<BigIntStats, 'dev' | 'ino' | 'mtimeNs' | 'mtimeMs'>;

/** Upper bound of the tick of a file system's clock, in ms: two changes within a tick have the same time. */
const TICK_MS = 20;

/** Implements `BlobReads.folderFingerprint`. */
export async function folderFingerprint(root: string, folder: StoragePath): Promise<string | null> {
  const stats = await statFolder(root, folder);
  return stats ? fingerprintOf(stats) : null;
}

/** Returns `folderFingerprint`, but undefined while a change could still happen in the tick of the last one. */
export async function finalFingerprint(root: string, folder: StoragePath): Promise<string | null | undefined> {
  const stats = await statFolder(root, folder);
  return stats ? finalFingerprintOf(stats) : null;
}

/** Returns the fingerprint for these fields, or undefined while it is not final. */
export function finalFingerprintOf(stats: FolderStats): string | undefined {
  return Math.abs(Date.now() - Number(stats.mtimeMs)) < TICK_MS ? undefined : fingerprintOf(stats);
}

/**
 * Implements `BlobReads.renewFingerprint`. Sets the time to the microsecond, which no change by the clock's ticks
 * has.
 */
export async function renewFingerprint(root: string, folder: StoragePath): Promise<string | null | undefined> {
  const real = await resolveUnlinked(root, folder);
  if (real === undefined) return null;
  const now = (Date.now() + (performance.now() % 1)) / 1000;
  try {
    // The slash: a file of that name must not be touched.
    await utimes(join(real, '/'), now, now);
  } catch (error) {
    if (isMissing(error)) return null;
    // A folder of another owner.
    if (hasCode(error, 'EPERM', 'EACCES', 'EROFS')) return undefined;
    throw error;
  }
  const stats = await statIfFolder(real);
  return stats ? fingerprintOf(stats) : null;
}

/** Reads the state of a folder without a link on its path. */
async function statFolder(root: string, folder: StoragePath): Promise<BigIntStats | undefined> {
  // Concurrently, because each check has the same latency. Targets of links are not checked.
  const [real, stats] = await Promise.all([resolveUnlinked(root, folder), statIfFolder(join(root, folder))]);
  if (real === undefined) return undefined;
  return real === join(root, folder) ? stats : statIfFolder(real);
}

async function resolveUnlinked(root: string, folder: StoragePath): Promise<string | undefined> {
  const real = await resolveInside(root, folder);
  if (real === undefined || real === join(root, folder)) return real;
  // Its name on the disk may be decomposed; otherwise the path contains a link.
  return real === (await diskPath(root, folder)) ? real : undefined;
}

async function statIfFolder(real: string): Promise<BigIntStats | undefined> {
  const stats = await ifThere(lstat(real, { bigint: true }));
  return stats?.isDirectory() ? stats : undefined;
}

const fingerprintOf = ({ dev, ino, mtimeNs }: FolderStats) => `${dev}-${ino}-${mtimeNs}`;
