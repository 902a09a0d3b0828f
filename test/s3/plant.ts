import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Services } from '../../src/library-services.ts';
import { parsePath, ROOT } from '../../src/path.ts';

/**
 * Lets tests that write into the data folder write into the bucket: before each request, all files there move into the
 * store. Clearing the cache clears that of the bucket, too.
 */
export function createPlanting(data: string, { originals, variants }: Services): () => Promise<void> {
  const root = join(data, 'originals');
  const clearNear = variants.clear.bind(variants);
  variants.clear = async () => {
    await variants.evictShared(ROOT);
    return clearNear();
  };
  let last = Promise.resolve();

  async function plant(): Promise<void> {
    const entries = await readdir(root, { recursive: true, withFileTypes: true }).catch(() => []);
    for (const entry of entries) {
      const place = join(entry.parentPath, entry.name);
      const path = parsePath(place.slice(root.length));
      if (entry.isFile()) {
        await originals.store.adopt(path, place);
        originals.invalidate(path);
      } else if (entry.isDirectory()) await originals.store.createFolder(path);
    }
    if (entries.length > 0) await rm(root, { recursive: true });
    await mkdir(root, { recursive: true });
  }

  return () => {
    last = last.then(plant);
    return last;
  };
}
