import { createReadStream } from 'node:fs';
import { lstat, unlink } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { StoragePath } from '../../path.ts';
import { sha256Of } from '../byte-source.ts';
import { findFile, isMissing, placeOf } from './resolve.ts';
import { syncFolder } from './write.ts';

/**
 * Completes a move that ended between its two steps, as `MoveRecovery.completeMove`: removes the old name of a file
 * that has its new one already. Harmless to a process in the middle of the move, whose next step is the same.
 */
export async function completeMove(root: string, from: StoragePath, to: StoragePath): Promise<void> {
  const target = await placeOf(root, to);
  if (target !== undefined) await completeMoveTo(root, from, target);
}

/** As `completeMove`, for a file that moves to any location of the same file system. */
export async function completeMoveTo(root: string, from: StoragePath, target: string): Promise<void> {
  const source = await placeOf(root, from);
  // A linked folder gives one name two paths.
  if (source === undefined || source === target) return;
  try {
    if (!(await isOneFile(source, target)) && !(await isCopyOfLink(root, from, { source, target }))) return;
    await unlink(source);
  } catch (error) {
    // One of the two names is missing: the move got further, or not as far.
    if (!isMissing(error)) throw error;
  }
  await syncFolder(dirname(source));
}

/** True for two names of one file. On a disk that ignores case, one name may be found twice. */
async function isOneFile(source: string, target: string): Promise<boolean> {
  const old = await lstat(source, { bigint: true });
  const current = await lstat(target, { bigint: true });
  return old.isFile() && old.nlink > 1n && old.dev === current.dev && old.ino === current.ino;
}

/** True if the old name is a symbolic link, whose move copies the bytes of its target. */
async function isCopyOfLink(
  root: string,
  from: StoragePath,
  { source, target }: { source: string; target: string },
): Promise<boolean> {
  if (!(await lstat(source)).isSymbolicLink()) return false;
  const copy = await lstat(target);
  const linked = await findFile(root, from);
  if (!linked || linked.real === target || !copy.isFile() || copy.size !== linked.stat.size) return false;
  return (await sha256Of(createReadStream(linked.real))) === (await sha256Of(createReadStream(target)));
}
