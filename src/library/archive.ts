import { Readable } from 'node:stream';
import { writeZip, zipSize } from '@darkroom/zip-stream/zip';
import { parsePath, type StoragePath } from '../path.ts';
import { byCodeUnits, sortInPieces } from '../runtime/in-pieces.ts';
import type { BlobStat, BlobStore } from '../storage/blob-store.ts';

/** File of an archive. */
export interface ArchiveEntry {
  path: StoragePath;
  /** Name in the archive. */
  name: string;
  size: number;
  modifiedAt: Date;
}

/** File or folder for an archive. Without a kind, the store is queried. */
export interface ArchiveItem {
  path: string;
  kind?: 'file' | 'folder' | undefined;
}

/**
 * Number of concurrent `stat` calls: ten thousand sequential ones of some 20 ms each would take minutes on a bucket.
 */
const STAT_CONCURRENCY = 16;

export interface Archive {
  /** Size of the archive in bytes, known in advance. */
  size: number;
  stream: Readable;
}

/** Lists every file below a folder, named relative to it, sorted. @throws the signal's reason when it aborts */
export async function filesOfFolder(
  store: BlobStore,
  folder: StoragePath,
  signal?: AbortSignal,
): Promise<ArchiveEntry[]> {
  const entries: ArchiveEntry[] = [];
  const prefix = folder === '' ? 0 : folder.length + 1;
  for await (const file of walk(store, folder, signal)) entries.push(toEntry(file.path, file.path.slice(prefix), file));
  return sortInPieces(entries, byName);
}

/**
 * Lists the files of the items, each once, under its full path. Missing items are left out.
 * @throws the signal's reason when it aborts
 */
export async function filesOfItems(
  store: BlobStore,
  items: readonly ArchiveItem[],
  signal?: AbortSignal,
): Promise<ArchiveEntry[]> {
  const requested = items.map(({ path, kind }) => ({ path: parsePath(path), kind }));
  const entries = new Map<StoragePath, ArchiveEntry>();
  for (let at = 0; at < requested.length; at += STAT_CONCURRENCY) {
    signal?.throwIfAborted();
    const group = requested.slice(at, at + STAT_CONCURRENCY);
    const stats = await Promise.all(group.map(({ path, kind }) => (kind === 'folder' ? undefined : store.stat(path))));
    for (const [n, { path, kind }] of group.entries()) {
      const stat = stats[n];
      if (stat) entries.set(path, toEntry(path, path, stat));
      else if (kind !== 'file')
        for await (const file of walk(store, path, signal)) entries.set(file.path, toEntry(file.path, file.path, file));
    }
  }
  return sortInPieces([...entries.values()], byName);
}

/**
 * Creates a ZIP archive as a stream. Files are opened one at a time. If a file is missing or its size has changed, the
 * stream ends with an error, because the size of the archive was announced.
 */
export async function createArchive(
  store: BlobStore,
  entries: readonly ArchiveEntry[],
  signal?: AbortSignal,
): Promise<Archive> {
  const open = ({ path }: ArchiveEntry) => store.open(path, { ...(signal && { signal }) });
  return {
    size: await zipSize(entries),
    stream: Readable.from(writeZip(entries, open), { objectMode: false }),
  };
}

/** Size in bytes of the archive that `createArchive` creates from these entries. */
export function archiveSize(entries: readonly ArchiveEntry[]): Promise<number> {
  return zipSize(entries);
}

async function* walk(store: BlobStore, folder: StoragePath, signal: AbortSignal | undefined) {
  for await (const file of store.walk(folder)) {
    signal?.throwIfAborted();
    yield file;
  }
}

function toEntry(path: StoragePath, name: string, { size, modifiedAt }: BlobStat): ArchiveEntry {
  return { path, name: safeName(name), size, modifiedAt };
}

/** Prefixes names that begin like a Windows drive, where they would be absolute paths. */
function safeName(name: string): string {
  return name.replace(/^(?=[a-z]:)/i, './');
}

function byName(one: ArchiveEntry, other: ArchiveEntry): number {
  return byCodeUnits(one.name, other.name);
}
