import { chmod, lstat } from 'node:fs/promises';
import { hasCode } from '../../errors.ts';

/**
 * Removes all rights of other users on existing folders, who then cannot reach anything below them either. A link is
 * left alone, because its target lies elsewhere. So is a folder that cannot be changed, for example of another owner.
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
