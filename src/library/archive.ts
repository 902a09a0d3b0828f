import { Readable } from 'node:stream';
import { writeZip, zipSize } from '@darkroom/zip-stream/zip';
import { parsePath, type StoragePath } from '../path.ts';
import { byCodeUnits, sortInPieces } from '../runtime/in-pieces.ts';
import type { BlobStore } from '../storage/blob-store.ts';

/** A file on its way into an archive. */
export interface ArchiveEntry {
  path: StoragePath;
  /** Its name in the archive. */
  name: string;
  size: number;
  modifiedAt: Date;
}

/** A file or folder for an archive. Without a kind, the store is asked what it is. */
export interface ArchiveItem {
  path: string;
  kind?: 'file' | 'folder' | undefined;
}

/** A bucket takes some 20 ms for each, so that ten thousand one after the other would take minutes. */
const STATS_AT_ONCE = 16;

export interface Archive {
  /** Bytes of the whole archive, known before the first of them. */
  size: number;
  stream: Readable;
}

/** Every file below a folder, named relative to it, sorted. @throws the signal's reason as soon as it aborts */
export async function filesOfFolder(
  store: BlobStore,
  folder: StoragePath,
  signal?: AbortSignal,
): Promise<ArchiveEntry[]> {
  const entries: ArchiveEntry[] = [];
  const prefix = folder === '' ? 0 : folder.length + 1;
  for await (const { path, size, modifiedAt } of store.walk(folder)) {
    signal?.throwIfAborted();
    entries.push({ path, name: path.slice(prefix), size, modifiedAt });
  }
  return sortInPieces(entries, byName);
}

/**
 * The files that the items name, each once and under its full path. Items that do not exist are left out.
 * @throws the signal's reason as soon as it aborts
 */
export async function filesOfItems(
  store: BlobStore,
  items: readonly ArchiveItem[],
  signal?: AbortSignal,
): Promise<ArchiveEntry[]> {
  const wanted = items.map(({ path, kind }) => ({ path: parsePath(path), kind }));
  const entries = new Map<StoragePath, ArchiveEntry>();
  for (let at = 0; at < wanted.length; at += STATS_AT_ONCE) {
    signal?.throwIfAborted();
    const group = wanted.slice(at, at + STATS_AT_ONCE);
    const stats = await Promise.all(group.map(({ path, kind }) => (kind === 'folder' ? undefined : store.stat(path))));
    for (const [n, { path, kind }] of group.entries()) {
      const stat = stats[n];
      if (stat) entries.set(path, { path, name: path, ...stat });
      else if (kind !== 'file') {
        for (const entry of await filesOfFolder(store, path, signal))
          entries.set(entry.path, { ...entry, name: entry.path });
      }
    }
  }
  return sortInPieces([...entries.values()], byName);
}

/**
 * A ZIP archive as a stream. Files are opened one at a time as the archive gets to them. When a file is gone by then,
 * or its size has changed, the stream ends with an error, because the size of the archive has been promised.
 */
export function createArchive(store: BlobStore, entries: readonly ArchiveEntry[], signal?: AbortSignal): Archive {
  const files = entries.map(({ path, name, size, modifiedAt }) => ({
    name: safeName(name),
    size,
    modifiedAt,
    open: () => store.open(path, { ...(signal && { signal }) }),
  }));
  return { size: zipSize(files), stream: Readable.from(writeZip(files), { objectMode: false }) };
}

/** Bytes of the archive that `createArchive` makes of these entries. */
export function archiveSize(entries: readonly ArchiveEntry[]): number {
  return zipSize(entries.map(({ name, size }) => ({ name: safeName(name), size })));
}

/** A name that begins like a Windows drive would be an absolute path there. */
function safeName(name: string): string {
  return name.replace(/^(?=[a-z]:)/i, './');
}

function byName(one: ArchiveEntry, other: ArchiveEntry): number {
  return byCodeUnits(one.name, other.name);
}
