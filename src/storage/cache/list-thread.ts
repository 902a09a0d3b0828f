import { type Dirent, opendirSync, type Stats, statSync } from 'node:fs';
import { answerQuestions } from '../../runtime/question-thread.ts';

/** Folder to list. */
export interface ListOrder {
  folder: string;
  /** Lists only the files that were last used by then, in ms, with their names. Without it all, without names. */
  usedUntil?: number | undefined;
}

/** Files below a folder: the values with the same index belong together. */
export interface FileList {
  /** Paths relative to the folder, beginning with a slash. */
  names: string[];
  /** Bytes. */
  sizes: Float64Array;
  /** Modification times, in ms. */
  times: Float64Array;
}

/** Number of entries that are read together. */
const BATCH = 1024;

answerQuestions(({ folder, usedUntil }: ListOrder): FileList => {
  const names: string[] = [];
  const sizes: number[] = [];
  const times: number[] = [];
  for (const name of filesBelow(folder, '')) {
    const found = inspect(folder + name);
    if (!found || (usedUntil !== undefined && found.mtimeMs > usedUntil)) continue;
    if (usedUntil !== undefined) names.push(name);
    sizes.push(found.size);
    times.push(found.mtimeMs);
  }
  return { names, sizes: Float64Array.from(sizes), times: Float64Array.from(times) };
});

function* filesBelow(folder: string, prefix: string): Generator<string> {
  for (const entry of entriesOf(folder + prefix)) {
    const name = `${prefix}/${entry.name}`;
    if (entry.isDirectory()) yield* filesBelow(folder, name);
    else if (entry.isFile()) yield name;
  }
}

/** Yields the entries of a folder; none more once it is deleted or cannot be read. */
function* entriesOf(folder: string): Generator<Dirent> {
  try {
    const directory = opendirSync(folder, { bufferSize: BATCH });
    try {
      for (let entry = directory.readSync(); entry; entry = directory.readSync()) yield entry;
    } finally {
      directory.closeSync();
    }
  } catch {
    // The next walk tries again.
  }
}

/** Undefined for a file that is deleted or cannot be read. */
function inspect(file: string): Stats | undefined {
  try {
    return statSync(file, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}
