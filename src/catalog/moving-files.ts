import type { StoragePath } from '../path.ts';
import type { CatalogStore } from './catalog-store.ts';
import type { FileEvent } from './file-events.ts';
import type { FileEntry } from './records.ts';

/** A file on its way into the trash, or out of it. */
export interface MovingFile {
  from: StoragePath;
  to: FileEntry;
  /** Whether a file is where it came from, so that a row has to stay there. */
  isLeft: boolean;
}

/** So many files are followed in one step: others wait while it runs. */
const AT_ONCE = 200;

/**
 * Lets the rows of files follow them, and tells of each of them. Where the process ends in the middle it can be done again.
 * @param eventOf what others are told of a file
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
  for await (const file of files) if (some.push(file) === AT_ONCE) await follow();
  if (some.length > 0) await follow();
}

/** What went into the trash: a file, or a folder with everything in it. */
export const eventOfKept = (path: StoragePath, isFolder: boolean): FileEvent => ({
  ...{ type: 'file.deleted', path, isFolder, trash: 'in' },
});

/** Where its folder is still there, whose event would tell of too much. */
export const eventOfLeaving = ({ from, isLeft }: Pick<MovingFile, 'from' | 'isLeft'>): FileEvent[] =>
  isLeft ? [] : [eventOfKept(from, false)];

export const eventOfGiven = ({ to }: Pick<MovingFile, 'to'>): FileEvent[] => [
  { type: 'file.stored', path: to.path, isFolder: false, stat: to, trash: 'out' },
];
