import { join } from 'node:path';
import { ROOT, type StoragePath } from '../../path.ts';
import type { FolderPart, ScanOptions } from '../blob-store.ts';
import { FolderDigests } from './folder-digests.ts';
import { lastingMark, lastingMarkOf } from './folder-mark.ts';
import { inspect, nameIn, readFolder } from './list.ts';

/** How many entries are read, and looked at, at a time. */
const BATCH = 200;
/** How many folders are looked at together: to ask a thread takes as long as to look at some ten files. */
const FOLDERS_AT_ONCE = 32;

/** Everything in a folder, as `BlobStore.scan`. A linked folder is not entered. */
export async function* scanFolders(
  root: string,
  folder: StoragePath,
  { isDeep = true, digests = new Map(), signal }: ScanOptions,
): AsyncGenerator<FolderPart> {
  const looks = new FolderDigests();
  const waiting = [folder];
  try {
    while (waiting.length > 0) {
      const next = waiting.splice(-FOLDERS_AT_ONCE);
      const asked = next.filter((one) => digests.has(one));
      const places = asked.map((one) => (one === ROOT ? root : join(root, one)));
      const seen = places.length > 0 ? await looks.of(places, signal) : [];
      const found = new Map(asked.map((one, at) => [one, seen[at]]));
      for (const one of next) {
        const look = found.get(one);
        if (!look || look.digest !== digests.get(one))
          yield* readParts(root, one, look?.digest, isDeep ? waiting : undefined);
        else {
          const folders = look.folders.flatMap((name) => nameIn(one, name) ?? []);
          if (isDeep) waiting.push(...folders);
          const { digest, stats, files } = look;
          yield { folder: one, mark: lastingMarkOf(stats), digest, unchanged: files, folders, files: [] };
        }
      }
    }
  } finally {
    await looks.close();
  }
}

/** A folder with all its files. @param below where the folders in it are added that are still to be looked at */
async function* readParts(
  root: string,
  folder: StoragePath,
  digest: string | undefined,
  below: StoragePath[] | undefined,
): AsyncGenerator<FolderPart> {
  const mark = await lastingMark(root, folder);
  if (mark === null) return;
  for await (const batch of readFolder(root, folder, BATCH)) {
    for (const { path, entry } of batch) if (entry.isDirectory()) below?.push(path);
    yield { folder, mark, digest, ...(await inspect(root, batch)) };
  }
}
