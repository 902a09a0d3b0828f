import { execFile } from 'node:child_process';
import { mkdtemp, open, rm, rmdir, truncate } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { hasCode } from '../src/errors.ts';

const run = promisify(execFile);
const MEGABYTE = 1024 * 1024;

/** A disk of a few megabytes, for tests of a full disk. */
export interface SmallDisk {
  folder: string;
  /** Fills all capacity except this many megabytes. */
  fill(leftMegabytes: number): Promise<void>;
  /** Frees the capacity. */
  empty(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Mounts a disk in memory, which requires root. Undefined, with a log line, if that is not permitted; a complete check
 * fails instead.
 */
export async function openSmallDisk(megabytes: number): Promise<SmallDisk | undefined> {
  const folder = await mkdtemp(join(tmpdir(), 'darkroom-disk-'));
  try {
    await run('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', folder]);
  } catch (error) {
    await rmdir(folder);
    if (process.env.CI === 'true') throw error;
    process.stderr.write('The tests on a full disk are skipped: mounting a small one takes root.\n');
    return undefined;
  }
  const ballast = join(folder, 'ballast');
  return {
    folder,
    async fill(leftMegabytes) {
      await using file = await open(ballast, 'w');
      const block = Buffer.alloc(MEGABYTE / 4);
      let size = 0;
      try {
        for (;;) size += (await file.write(block)).bytesWritten;
      } catch (error) {
        if (!hasCode(error, 'ENOSPC')) throw error;
      }
      await truncate(ballast, Math.max(0, size - leftMegabytes * MEGABYTE));
    },
    empty: () => rm(ballast, { force: true }),
    async close() {
      await run('umount', ['--lazy', folder]);
      await rmdir(folder);
    },
  };
}
