import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { parsePath } from '../src/path.ts';
import type { BlobStore } from '../src/storage/blob-store.ts';

/** Files of a few letters in a store. @param store the one of the test that runs */
export function textBlobs(store: () => BlobStore) {
  return {
    /** Writes a file; without other bytes, those of its name. */
    put: (name: string, bytes = name) => store().write(parsePath(name), Readable.from([Buffer.from(bytes)])),
    content: async (name: string) => text(await store().open(parsePath(name))),
    /** The paths of a walk, sorted. */
    async walked(name = ''): Promise<string[]> {
      const found = await Array.fromAsync(store().walk(parsePath(name)), ({ path }) => path as string);
      return found.sort();
    },
  };
}
