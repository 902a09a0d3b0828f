import { createHash, type Hash } from 'node:crypto';
import { type Dirent, lstatSync, opendirSync, realpathSync, type Stats, statSync } from 'node:fs';
import { constants } from 'node:os';
import { lowerThreadPriority } from '../../runtime/priority.ts';
import { answerQuestions } from '../../runtime/question-thread.ts';
import type { FolderStats } from './folder-fingerprint.ts';

/** Real paths of folders on the disk. */
export type DigestOrder = readonly string[];

/** State of a folder, without the contents of its files. */
export interface FolderDigest {
  /**
   * Hash over names, sizes, times and identities of the files directly in the folder, those of the folder itself, and
   * the names of its subfolders.
   */
  digest: string;
  /** Of the folder itself, from before it was read. */
  stats: FolderStats;
  /** Names of its subfolders. */
  folders: string[];
  files: number;
}

/** One entry per folder; undefined where no digest is possible. */
export type DigestAnswer = (FolderDigest | undefined)[];

/**
 * Upper bound of the tick of the file system's clock, in ms. A second change within a tick leaves the times unchanged.
 */
const TICK_MS = 20;
/** Number of entries that are read and hashed together. */
const BATCH = 1024;
const NUMBERS = 6;

lowerThreadPriority(constants.priority.PRIORITY_BELOW_NORMAL);
answerQuestions((folders: DigestOrder): DigestAnswer => folders.map(look));

function look(folder: string): FolderDigest | undefined {
  try {
    return realpathSync.native(folder) === folder ? digestOf(folder) : undefined;
  } catch {
    // The caller then reads the folder whole, which reports the error.
    return undefined;
  }
}

function digestOf(folder: string): FolderDigest | undefined {
  const now = Date.now();
  const { dev, ino, mtimeNs, mtimeMs, ctimeMs } = statSync(folder, { bigint: true });
  const digest = new Digest();
  digest.add('', statSync(folder));
  const folders: string[] = [];
  const directory = opendirSync(folder, { bufferSize: BATCH });
  try {
    for (let entry: Dirent | null = directory.readSync(); entry; entry = directory.readSync()) {
      if (entry.isDirectory()) folders.push(entry.name);
      // The target of a link may change independently of it.
      else if (!entry.isFile()) return undefined;
      // `join` would take a tenth of the total time.
      else digest.add(entry.name, lstatSync(`${folder}/${entry.name}`));
    }
  } finally {
    directory.closeSync();
  }
  if (Math.max(digest.newestMs, Number(ctimeMs)) > now - TICK_MS) return undefined;
  const stats = { dev, ino, mtimeNs, mtimeMs };
  return { digest: digest.end(folders), stats, folders, files: digest.count - 1 };
}

/** Hashes the change time of inodes too, which cannot be set back: so the other times need no nanoseconds. */
class Digest {
  readonly #hash: Hash = createHash('sha256');
  readonly #numbers = new Float64Array(NUMBERS * BATCH);
  #names = '';
  #waiting = 0;
  count = 0;
  newestMs = 0;

  add(name: string, { size, mtimeMs, ctimeMs, birthtimeMs, ino, dev }: Stats): void {
    const at = this.#waiting * NUMBERS;
    const numbers = this.#numbers;
    numbers[at] = size;
    numbers[at + 1] = mtimeMs;
    numbers[at + 2] = ctimeMs;
    numbers[at + 3] = birthtimeMs;
    numbers[at + 4] = ino;
    numbers[at + 5] = dev;
    this.#names += `${name}\0`;
    if (ctimeMs > this.newestMs) this.newestMs = ctimeMs;
    this.count++;
    this.#waiting++;
    if (this.#waiting === BATCH) this.#flush();
  }

  end(folders: readonly string[]): string {
    this.#flush();
    return this.#hash.update(folders.join('\0')).digest('base64url');
  }

  #flush(): void {
    this.#hash.update(new Uint8Array(this.#numbers.buffer, 0, this.#waiting * NUMBERS * 8)).update(this.#names);
    this.#names = '';
    this.#waiting = 0;
  }
}
