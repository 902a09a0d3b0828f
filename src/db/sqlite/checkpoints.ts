import type Database from 'better-sqlite3';
import { programFile } from '../../runtime/packed.ts';
import { QuestionThread } from '../../runtime/question-thread.ts';
import type { DatabaseFile } from './database-file.ts';

/** In pages that are written ahead and not in the database yet: as many as SQLite itself would have. */
const PAGES = 1000;

/**
 * At so many pages SQLite makes a checkpoint at the end of a write after all. The log begins anew when a write finds all of it in the
 * database, and to that it does not come while writes never pause.
 */
export const MAX_PAGES = 4 * PAGES;

/** SQLite's answer: how many pages the log has, and how many of them are in the database. */
interface Progress {
  log: number;
  checkpointed: number;
}

/**
 * Moves what was written ahead into the database, in a thread. SQLite would do it at the end of a write, with the whole service waiting
 * until the disk has it: for some milliseconds, or much longer where others write as well.
 */
export class Checkpoints {
  readonly #progress: ReturnType<typeof prepareProgress>;
  readonly #file: DatabaseFile;
  readonly #thread: QuestionThread<null, void>;
  #isUnderWay = false;

  /** @param sqlite a database in a file, which writes ahead; `file` is where that was when it was opened */
  constructor(sqlite: Database, file: DatabaseFile) {
    this.#progress = prepareProgress(sqlite);
    this.#file = file;
    this.#thread = new QuestionThread(programFile('./checkpoint-thread', import.meta.url), { file: sqlite.name });
  }

  /** To be told of what is written when it is committed. */
  written(): void {
    if (!this.#isUnderWay && this.#pagesAhead() >= PAGES) void this.#make();
  }

  async close(): Promise<void> {
    await this.#thread.close();
  }

  #pagesAhead(): number {
    try {
      const { log, checkpointed } = this.#progress.get() ?? { log: 0, checkpointed: 0 };
      return log - checkpointed;
    } catch {
      // SQLite does not tell while something is read or written on this connection. After the next write it does.
      return 0;
    }
  }

  async #make(): Promise<void> {
    this.#isUnderWay = true;
    try {
      // The thread would open another file that has come in its place, and write into that.
      if ((await this.#file.check()) === 'ok') await this.#thread.ask(null);
    } catch {
      // Everything is in the log, and stays there until a checkpoint is made.
    } finally {
      this.#isUnderWay = false;
    }
  }
}

/** This checkpoint does nothing but tell. */
function prepareProgress(sqlite: Database) {
  return sqlite.prepare<[], Progress>('pragma wal_checkpoint(noop)');
}
