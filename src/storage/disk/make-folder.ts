import { mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { hasCode } from '../../errors.ts';

/**
 * Creates a folder and its parents, one after another: Node's own recursive `mkdir` retries forever on a file system
 * that creates no folders and reports them missing instead, such as /proc.
 * @returns the first folder that was created; undefined when all existed
 */
export async function makeFolder(folder: string): Promise<string | undefined> {
  if (await exists(folder)) return undefined;
  const parent = dirname(folder);
  const first = parent === folder ? undefined : await makeFolder(parent);
  try {
    await mkdir(folder);
  } catch (error) {
    // Another process may have created it in the same moment.
    if (hasCode(error, 'EEXIST') && (await exists(folder))) return first;
    throw error;
  }
  return first ?? folder;
}

const REASONS: Readonly<Record<string, string>> = {
  EACCES: 'cannot be written by this user',
  EPERM: 'cannot be written by this user, or knows no hard links',
  EROFS: 'lies on a file system that cannot be written',
  ENOENT: 'lies on a file system that takes no files',
  EXDEV: 'lies on another file system than DATA_DIR',
  ENOTSUP: 'lies on a file system without hard links',
  ENOTDIR: 'is no folder',
  EEXIST: 'is no folder',
  ENOSPC: 'lies on a full disk',
};

/** Explains to the operator why a folder cannot be used. */
export function explainFolder(error: NodeJS.ErrnoException, folder: string): never {
  throw new Error(`${folder} ${REASONS[error.code ?? ''] ?? `cannot be used (${error.message})`}`, { cause: error });
}

async function exists(folder: string): Promise<boolean> {
  try {
    if ((await stat(folder)).isDirectory()) return true;
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return false;
    throw error;
  }
  throw Object.assign(new Error(`${folder} is no folder`), { code: 'ENOTDIR' });
}
