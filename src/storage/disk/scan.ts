import { baseName, ROOT, type StoragePath } from '../../path.ts';
import { programFile } from '../../runtime/packed.ts';
import { QuestionThread } from '../../runtime/question-thread.ts';
import type { FolderPart, ScanOptions } from '../blob-store.ts';
import type { DigestAnswer, DigestOrder, FolderDigest } from './digest-thread.ts';
import { finalFingerprint, finalFingerprintOf } from './folder-fingerprint.ts';
import { inspect, isHidden, nameIn, readFolder } from './list.ts';
import { diskPath } from './resolve.ts';

/** Number of entries that are read and inspected together. */
const BATCH = 200;
/** Number of threads that check folders: one alone takes half as long again as `find`. */
const THREADS = 2;
/** Number of folders per message to a thread: a message takes as long as checking some ten files. */
const FOLDER_BATCH = 32;

/**
 * Computes digests of folders. It may block on the disk: a promise per file would cost several times as much as the
 * work itself.
 */
type DigestThread = QuestionThread<DigestOrder, DigestAnswer>;

/** Yields everything below a folder, as `BlobStore.scan`. A linked folder is not entered. */
export async function* scanFolders(
  root: string,
  folder: StoragePath,
  { isDeep = true, digests = new Map(), signal }: ScanOptions,
): AsyncGenerator<FolderPart> {
  const program = programFile('./digest-thread', import.meta.url);
  const threads: DigestThread[] = Array.from({ length: THREADS }, () => new QuestionThread(program));
  const idle = [...threads];
  const looks = new Map<DigestThread, Promise<Look>>();
  const waiting = [folder];
  const startNext = () => {
    while (idle.length > 0 && waiting.length > 0) {
      // The digests that remain at the end are shared by all.
      const folders = waiting.splice(-Math.min(FOLDER_BATCH, Math.ceil(waiting.length / idle.length)));
      const thread = idle.pop() as DigestThread;
      const look = checkFolders(root, folders, digests, thread, signal);
      // A reader that stops does not wait for it.
      look.catch(() => undefined);
      looks.set(thread, look);
    }
  };
  const nextLook = async (): Promise<Look> => {
    // `Promise.race` retains every loser until it settles, so race on the threads, not on the results.
    const thread = await Promise.race(Array.from(looks, ([one, look]) => look.then(() => one)));
    const look = looks.get(thread) as Promise<Look>;
    looks.delete(thread);
    idle.push(thread);
    return look;
  };
  try {
    startNext();
    while (looks.size > 0) {
      const { folders, seen } = await nextLook();
      const parts = new Map<StoragePath, FolderPart | undefined>();
      for (const one of folders) parts.set(one, await unchangedPart(root, one, seen.get(one), digests));
      if (isDeep) for (const part of parts.values()) waiting.push(...(part?.folders ?? []));
      // The threads check the next folders while the caller compares these.
      startNext();
      for (const [one, part] of parts)
        if (part) yield part;
        else yield* readParts(root, one, seen.get(one)?.digest, isDeep ? waiting : undefined);
      startNext();
    }
  } finally {
    await Promise.all(threads.map((thread) => thread.close()));
  }
}

/** Result of checking known folders. */
interface Look {
  folders: readonly StoragePath[];
  seen: ReadonlyMap<StoragePath, FolderDigest | undefined>;
}

/** Checks folders; those without a known digest are skipped. */
async function checkFolders(
  root: string,
  folders: readonly StoragePath[],
  digests: ReadonlyMap<StoragePath, string>,
  thread: DigestThread,
  signal: AbortSignal | undefined,
): Promise<Look> {
  const known = folders.filter((one) => digests.has(one));
  if (known.length === 0) return { folders, seen: new Map() };
  const places = await Promise.all(known.map((one) => (one === ROOT ? root : diskPath(root, one))));
  const answer = await thread.ask(places, signal);
  return { folders, seen: new Map(known.map((one, at) => [one, answer[at]])) };
}

/** Returns the part of an unchanged folder; undefined for one that has to be read. */
async function unchangedPart(
  root: string,
  folder: StoragePath,
  look: FolderDigest | undefined,
  digests: ReadonlyMap<StoragePath, string>,
): Promise<FolderPart | undefined> {
  if (!look || look.digest !== digests.get(folder)) return undefined;
  const { digest, stats, files } = look;
  const folders: StoragePath[] = [];
  for (const name of look.folders) {
    const path = nameIn(folder, name);
    if (path === undefined) continue;
    if (baseName(path) === name || !(await isHidden(await diskPath(root, folder), path))) folders.push(path);
  }
  return { folder, fingerprint: finalFingerprintOf(stats), digest, unchanged: files, folders, files: [] };
}

/** Reads a folder with all its files. @param below receives its subfolders, which are still to be read */
async function* readParts(
  root: string,
  folder: StoragePath,
  digest: string | undefined,
  below: StoragePath[] | undefined,
): AsyncGenerator<FolderPart> {
  const fingerprint = await finalFingerprint(root, folder);
  if (fingerprint === null) return;
  for await (const batch of readFolder(root, folder, BATCH)) {
    for (const { path, entry } of batch) if (entry.isDirectory()) below?.push(path);
    yield { folder, fingerprint, digest, ...(await inspect(root, batch)) };
  }
}
