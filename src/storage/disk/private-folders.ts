import { chmod, lstat } from 'node:fs/promises';
import { hasCode } from '../../errors.ts';

/**
 * Undefined for a path that does not exist, and for one that a symbolic link leads out of the root.
 */
export async function makePrivate(folders: readonly string[]): Promise<void> {
  for (const folder of folders) {
    try {
      const found = await lstat(folder);
      if (found.isDirectory() && (found.mode & 0o077) !== 0) await chmod(folder, 0o700);
    } catch (error) {
      if (!hasCode(error, 'ENOENT', 'EPERM', 'EROFS')) throw error;
    }
  }
}
