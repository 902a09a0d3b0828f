import { baseName, parentOf } from '../../path.ts';
import type { BlobReads } from '../../storage/blob-store.ts';
import type { CatalogRows, CatalogStore } from '../catalog-store.ts';
import { isTombstone, newTombstone } from '../hidden.ts';
import type { FileEntry, KnownFile } from '../records.ts';

/** A file that another program has moved: its row has another path, or is a tombstone. */
export interface Arrival {
  entry: FileEntry;
  source: KnownFile;
}

/** Limit of rows in one step: other writers wait while it runs. */
const ROWS_PER_STEP = 50;

/**
 * Moves rows to where their files are now, also where files have swapped their names.
 * @returns the ids of rows that were moved
 */
export async function applyArrivals(
  arrivals: readonly Arrival[],
  { rows, store }: { rows: CatalogStore; store: BlobReads },
): Promise<number[]> {
  const moved = new Map<number, Arrival>();
  for (const arrival of arrivals) {
    const { source, entry } = arrival;
    const present = await store.stat(entry.path);
    if (!present) continue;
    // A second name of a file has a row of its own. Tombstones have no path in the store.
    const isLeft = !isTombstone(source.path) && (await store.stat(source.path))?.fileId === source.fileId;
    if (isLeft || moved.has(source.id) || present.fileId !== entry.fileId) await rows.files.put([entry]);
    else moved.set(source.id, arrival);
  }
  const waiting = [...moved.values()];
  for (let start = 0; start < waiting.length; start += ROWS_PER_STEP)
    await rows.inOneStep(async (step) => {
      for (const arrival of waiting.slice(start, start + ROWS_PER_STEP)) await follow(step, arrival);
    });
  return [...moved.keys()];
}

/** The row at the new path becomes a tombstone: its own file may be found elsewhere. */
async function follow(step: CatalogRows, { source, entry }: Arrival): Promise<void> {
  const row = (await step.files.identified([source.fileId ?? ''])).find(({ id }) => id === source.id);
  if (!row) {
    await step.files.put([entry]);
    return;
  }
  const [displaced] = await step.files.named(parentOf(entry.path), [baseName(entry.path)]);
  if (displaced && displaced.id !== row.id) await step.files.relocate([displaced], newTombstone());
  await step.files.move(row.path, entry);
}
