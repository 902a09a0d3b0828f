import { mkdir, readdir, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Services } from '../../src/library-services.ts';
import { parsePath, ROOT } from '../../src/path.ts';
import { inParallel } from '../../src/storage/in-parallel.ts';

const CONCURRENCY = 16;

/**
 * Lets tests that write into the data folder write into the bucket: before each request, all files there move into the
 * store. What a test writes meanwhile waits for the next request. Clearing the cache clears that of the bucket, too.
 * @param folder that of the space of the tests, which always exists; empty in the library
 */
export function createPlanting(data: string, folder: string, { originals, variants }: Services): () => Promise<void> {
  const root = join(data, 'originals');
  const clearNear = variants.clear.bind(variants);
  variants.clear = async () => {
    await variants.evictShared(ROOT);
    return clearNear();
  };
  let last = Promise.resolve();

  async function plant(): Promise<void> {
    const entries = await readdir(root, { recursive: true, withFileTypes: true }).catch(() => []);
    await inParallel(entries, CONCURRENCY, async (entry) => {
      const place = join(entry.parentPath, entry.name);
      const path = parsePath(place.slice(root.length));
      if (entry.isFile()) {
        await originals.store.adopt(path, place);
        originals.invalidate(path);
      } else if (entry.isDirectory() && path !== folder) await originals.store.createFolder(path);
    });
    const folders = entries
      .filter((entry) => entry.isDirectory())
      .map(({ parentPath, name }) => join(parentPath, name));
    // The deepest first. Those with a new file stay.
    for (const place of folders.toSorted().toReversed()) await rmdir(place).catch(() => undefined);
    await mkdir(join(root, folder), { recursive: true });
  }

  return () => {
    last = last.then(plant);
    return last;
  };
}
