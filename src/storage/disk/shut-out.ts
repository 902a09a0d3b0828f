import { chmod, lstat } from 'node:fs/promises';
import { hasCode } from '../../errors.ts';

/**
 * Takes all rights from other users at folders that are there; what lies below is then out of their reach as well. A link is
 * left alone, because what it leads to lies elsewhere; so is what cannot be changed, the folder of another owner for one.
 */
export async function shutOut(folders: readonly string[]): Promise<void> {
  for (const folder of folders) {
    try {
      const found = await lstat(folder);
      if (found.isDirectory() && (found.mode & 0o077) !== 0) await chmod(folder, 0o700);
    } catch (error) {
      if (!hasCode(error, 'ENOENT', 'EPERM', 'EROFS')) throw error;
    }
  }
}
