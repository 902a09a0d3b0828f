import { stat } from 'node:fs/promises';
import type { StoragePath } from '../../path.ts';
import { BlobNotFound, type BlobReads } from '../../storage/blob-store.ts';
import type { HasBytes } from '../existing.ts';
import type { Library } from '../library.ts';
import type { UploadFolder } from './upload-folder.ts';

export interface Adding {
  library: Pick<Library, 'add'>;
  store: Pick<BlobReads, 'stat'>;
  hasBytes: HasBytes;
}

/**
 * Stores the file of one upload exactly once, however often it is added and whenever the process is killed. The target
 * is recorded before. A file found there afterwards is the same if its bytes are equal: the path was free before, and
 * nothing is ever overwritten.
 */
export function addOnce({ library, store, hasBytes }: Adding, folder: UploadFolder): Pick<Library, 'add'> {
  async function isStored(path: StoragePath, file: string): Promise<boolean> {
    const stored = await store.stat(path);
    try {
      return stored !== undefined && (await hasBytes(path, stored, file));
    } catch (error) {
      if (error instanceof BlobNotFound) return false;
      throw error;
    }
  }
  return {
    async add(path, file, existing) {
      const attempt = await folder.attempt();
      if (attempt !== undefined && (await isStored(attempt, file))) {
        return { path: attempt, size: (await stat(file)).size, isSkipped: false };
      }
      return library.add(path, file, existing, (free) => folder.noteAttempt(free));
    },
  };
}
