import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { parsePath } from '../src/path.ts';
import type { BlobStore } from '../src/storage/blob-store.ts';

/**
 * Returns helpers for files of a few letters in a store.
 * @param store that of the current test
 */
export function textBlobs(store: () => BlobStore) {
  return {
    /** Writes a file; by default its bytes are its name. */
    put: (name: string, bytes = name) => store().write(parsePath(name), Readable.from([Buffer.from(bytes)])),
    content: async (name: string) => text(await store().open(parsePath(name))),
    /** Returns the paths of a walk, sorted. */
    async walked(name = ''): Promise<string[]> {
      const found = await Array.fromAsync(store().walk(parsePath(name)), ({ path }) => path as string);
      return found.sort();
    },
  };
}
