import { unlink } from 'node:fs/promises';
import { hasCode } from '../errors.ts';

/** Removes a file if it exists. Makes one system call, where a forced `rm` makes three. */
export async function removeFile(file: string): Promise<void> {
  try {
    await unlink(file);
  } catch (error) {
    if (!hasCode(error, 'ENOENT', 'ENOTDIR')) throw error;
  }
}
