import { join } from 'node:path';
import { ROOT, type StoragePath } from '../../path.ts';
import type { FolderPart, ScanOptions } from '../blob-store.ts';
import type { FolderDigest } from './digest-thread.ts';
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
  const thread = new FolderDigests();
  const waiting = [folder];
  const lookAtSome = () => {
    if (waiting.length === 0) return undefined;
    const folders = waiting.splice(-FOLDERS_AT_ONCE);
    const looking = lookAt(folders.filter((one) => digests.has(one)));
    // Whoever stops reading does not wait for it.
    looking.catch(() => undefined);
    return { folders, looking };
  };
  const lookAt = async (folders: readonly StoragePath[]) => {
    if (folders.length === 0) return new Map<StoragePath, undefined>();
    const places = folders.map((one) => (one === ROOT ? root : join(root, one)));
    const seen = await thread.of(places, signal);
    return new Map(folders.map((one, at) => [one, seen[at]]));
  };
  try {
    let next = lookAtSome();
    while (next) {
      const { folders, looking } = next;
      const looks = await looking;
      const parts = new Map(folders.map((one) => [one, unchangedPart(one, looks.get(one), digests)]));
      if (isDeep) for (const part of parts.values()) waiting.push(...(part?.folders ?? []));
      // The thread looks at the next ones while somebody compares these.
      next = lookAtSome();
      for (const [one, part] of parts)
        if (part) yield part;
        else yield* readParts(root, one, looks.get(one)?.digest, isDeep ? waiting : undefined);
      next ??= lookAtSome();
    }
  } finally {
    await thread.close();
  }
}

/** What is told of a folder that is as it was; undefined for one that has to be read. */
function unchangedPart(
  folder: StoragePath,
  look: FolderDigest | undefined,
  digests: ReadonlyMap<StoragePath, string>,
): FolderPart | undefined {
  if (!look || look.digest !== digests.get(folder)) return undefined;
  const { digest, stats, files } = look;
  const folders = look.folders.flatMap((name) => nameIn(folder, name) ?? []);
  return { folder, mark: lastingMarkOf(stats), digest, unchanged: files, folders, files: [] };
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
