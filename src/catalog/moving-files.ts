import type { StoragePath } from '../path.ts';
import type { CatalogStore } from './catalog-store.ts';
import type { FileEvent } from './file-events.ts';
import type { FileEntry } from './records.ts';

/** A file that moves into the trash or out of it. */
export interface MovingFile {
  from: StoragePath;
  to: FileEntry;
  /** True if a file is still at `from`, so that a row has to stay there. */
  isLeft: boolean;
}

/** Limit of files per step: other writers wait while it runs. */
const BATCH = 200;

/**
 * Moves the rows of files after them, and reports each. After a crash it can be repeated.
 * @param eventOf returns the events of a file
 */
export async function followFiles(
  catalog: CatalogStore,
  files: AsyncIterable<MovingFile>,
  eventOf: (file: MovingFile) => FileEvent[],
): Promise<void> {
  let some: MovingFile[] = [];
  const follow = async () => {
    await catalog.inOneStep(async (rows) => {
      for (const { from, to, isLeft } of some) await (isLeft ? rows.files.copy(from, to) : rows.files.move(from, to));
      await rows.events.add(some.flatMap(eventOf));
    });
    some = [];
  };
  for await (const file of files) if (some.push(file) === BATCH) await follow();
  if (some.length > 0) await follow();
}

/** Returns the event of a trashed file, or of a folder with everything in it. */
export const trashedEvent = (path: StoragePath, isFolder: boolean): FileEvent => ({
  type: 'file.deleted',
  path,
  isFolder,
  trash: 'in',
});

/** Returns the event of one file, for a folder that still exists and whose event would cover too much. */
export const eventOfLeaving = ({ from, isLeft }: Pick<MovingFile, 'from' | 'isLeft'>): FileEvent[] =>
  isLeft ? [] : [trashedEvent(from, false)];

export const restoredEvents = ({ to }: Pick<MovingFile, 'to'>): FileEvent[] => [
  { type: 'file.stored', path: to.path, isFolder: false, stat: to, trash: 'out' },
];
