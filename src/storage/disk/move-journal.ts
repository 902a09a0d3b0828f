import { randomUUID } from 'node:crypto';
import { lstat, mkdir, open, readdir, readFile, rename, rm, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { parseJson } from '../../json.ts';
import type { StoragePath } from '../../path.ts';
import { isMissing, placeOf } from './resolve.ts';
import { syncFolder } from './write.ts';

/** The record of a move while it is under way. */
interface MoveRecord {
  from: StoragePath;
  to: StoragePath;
  /** The inode under the old name, and the one that the new name gets: the same, unless the old name is a symbolic link. */
  source: string;
  target: string;
}

/**
 * Journal of the moves under way, each a small file that survives a power failure. A move that must not replace anything takes
 * two steps: the file gets its new name, then it loses its old one. A process that is killed in between leaves both names.
 */
export class MoveJournal {
  readonly #directory: string;
  readonly #temp: string;

  private constructor(directory: string, temp: string) {
    this.#directory = directory;
    this.#temp = temp;
  }

  /** Finishes what was under way when a process ended. @param temp lies on the same file system as `directory` */
  static async open(directory: string, temp: string, root: string): Promise<MoveJournal> {
    await mkdir(directory, { recursive: true });
    for (const name of await readdir(directory)) {
      const file = join(directory, name);
      // The next start tries again to finish what cannot be finished now.
      await finish(root, file).then(
        () => rm(file, { force: true }),
        () => undefined,
      );
    }
    return new MoveJournal(directory, temp);
  }

  /** Runs a move. @param source the old name, on the disk; @param target the file that gets the new name
   * @throws ENOENT when one of them is gone */
  async during<T>(
    { from, to, source, target }: { from: StoragePath; to: StoragePath; source: string; target: string },
    move: () => Promise<T>,
  ): Promise<T> {
    const record: MoveRecord = { from, to, source: await inodeOf(source), target: await inodeOf(target) };
    const file = join(this.#directory, randomUUID());
    await this.#write(file, JSON.stringify(record));
    try {
      return await move();
    } finally {
      await rm(file, { force: true });
    }
  }

  /** The record is there whole or not at all. */
  async #write(file: string, text: string): Promise<void> {
    const draft = join(this.#temp, randomUUID());
    try {
      await using handle = await open(draft, 'wx');
      await handle.writeFile(text);
      await handle.sync();
      await rename(draft, file);
    } finally {
      await rm(draft, { force: true });
    }
    await syncFolder(this.#directory);
  }
}

/**
 * Removes the old name where the new one exists. The process that moves the file does the same next, so this does no harm when
 * another service on the same folder is in the middle of the move.
 */
async function finish(root: string, file: string): Promise<void> {
  const record = parseJson(await readFile(file, 'utf8')) as MoveRecord | undefined;
  if (record?.from === undefined || record.to === undefined) return;
  const source = await placeOf(root, record.from);
  const target = await placeOf(root, record.to);
  if (source === undefined || target === undefined) return;
  try {
    const isHalfWay = (await inodeOf(source)) === record.source && (await inodeOf(target)) === record.target;
    if (isHalfWay) await unlink(source);
  } catch (error) {
    // One of the two names is gone: the move came further, or not as far.
    if (!isMissing(error)) throw error;
  }
  await syncFolder(dirname(source));
}

/** The inode of the name itself, even when it is a link. */
async function inodeOf(entry: string): Promise<string> {
  return String((await lstat(entry, { bigint: true })).ino);
}
