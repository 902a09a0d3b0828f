import { randomUUID } from 'node:crypto';
import { baseName, childPath, parentOf, type StoragePath } from '../../path.ts';
import type { BlobReads } from '../../storage/blob-store.ts';
import type { CatalogRows, CatalogStore } from '../catalog-store.ts';
import type { FileEntry, KnownFile } from '../records.ts';

/** A file that others have moved: its row has another path. */
export interface Arrival {
  entry: FileEntry;
  source: KnownFile;
  /** The row that has the path now. */
  displaced: KnownFile | undefined;
}

/** So many rows change in one step: others wait while it runs. */
const AT_ONCE = 50;

/**
 * Lets rows follow their files. Files may have changed places among one another.
 * @returns the rows that have followed
 */
export async function applyArrivals(
  arrivals: readonly Arrival[],
  { rows, store }: { rows: CatalogStore; store: BlobReads },
): Promise<number[]> {
  const moved: Arrival[] = [];
  for (const arrival of arrivals) {
    const { source, entry } = arrival;
    // A second name of the file is another file for all who use it.
    const isThere = (await store.stat(source.path))?.fileId === source.fileId;
    const isOnly = !moved.some((other) => other.source.id === source.id);
    if (!isThere && isOnly && (await store.stat(entry.path))?.fileId === entry.fileId) moved.push(arrival);
    else if (await store.stat(entry.path)) await rows.files.put([entry]);
  }
  const targets = new Set(moved.map(({ entry }) => entry.path));
  const [knotted, free] = [moved.filter(isKnotted), moved.filter((one) => !isKnotted(one))];
  await rows.inOneStep((step) => exchange(step, knotted));
  for (let start = 0; start < free.length; start += AT_ONCE)
    await rows.inOneStep(async (step) => {
      for (const { source, entry } of free.slice(start, start + AT_ONCE)) await follow(step, source, entry);
    });
  return moved.map(({ source }) => source.id);

  function isKnotted({ source, displaced }: Arrival): boolean {
    return displaced !== undefined || targets.has(source.path);
  }
}

/** All of them leave their paths before the first one takes its new one. */
async function exchange(step: CatalogRows, arrivals: readonly Arrival[]): Promise<void> {
  const parked: [StoragePath, FileEntry][] = [];
  for (const { source, entry } of arrivals) {
    const place = childPath(parentOf(source.path), randomUUID());
    if (await follow(step, source, { ...entry, path: place })) parked.push([place, entry]);
  }
  for (const [place, entry] of parked) await step.files.move(place, entry);
}

/** @returns false when the row has moved meanwhile */
async function follow(step: CatalogRows, source: KnownFile, entry: FileEntry): Promise<boolean> {
  const [row] = await step.files.named(parentOf(source.path), [baseName(source.path)]);
  if (row?.id !== source.id) return false;
  await step.files.move(source.path, entry);
  return true;
}
