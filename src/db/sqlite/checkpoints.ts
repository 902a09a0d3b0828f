import type Database from 'better-sqlite3';
import { programFile } from '../../runtime/packed.ts';
import { QuestionThread } from '../../runtime/question-thread.ts';
import type { DatabaseFile } from './database-file.ts';

/** Pages in the write-ahead log that trigger a checkpoint: SQLite's own default. */
const PAGES = 1000;

/**
 * At this many pages SQLite makes a checkpoint at the end of a write after all. The log restarts only when a write
 * finds all of it in the database, which never happens while writes do not pause.
 */
export const MAX_PAGES = 4 * PAGES;

/** Pages of a commit, at most, as a rule. After a larger one the log is a little longer at the checkpoint. */
const PAGES_PER_COMMIT = 128;

/** SQLite's result: the pages in the log, and how many of them are in the database. */
interface Progress {
  log: number;
  checkpointed: number;
}

/**
 * Moves the write-ahead log into the database, in a thread. SQLite would do it at the end of a write, blocking the
 * whole service until the disk has it: for some milliseconds, or much longer where others write as well.
 */
export class Checkpoints {
  readonly #progress: ReturnType<typeof prepareProgress>;
  readonly #file: DatabaseFile;
  readonly #thread: QuestionThread<null, void>;
  #isInProgress = false;
  /** Commits before which the log cannot have `PAGES`: the progress is checked after them. */
  #untilCheck = 0;

  /** @param sqlite a database in a file, with write-ahead logging; `file` is its location when it was opened */
  constructor(sqlite: Database, file: DatabaseFile) {
    this.#progress = prepareProgress(sqlite);
    this.#file = file;
    this.#thread = new QuestionThread(programFile('./checkpoint-thread', import.meta.url), { file: sqlite.name });
  }

  /** Called after writes are committed. */
  written(): void {
    if (this.#isInProgress || this.#untilCheck-- > 0) return;
    const left = PAGES - this.#pagesAhead();
    this.#untilCheck = Math.max(0, Math.floor(left / PAGES_PER_COMMIT));
    if (left <= 0) void this.#run();
  }

  async close(): Promise<void> {
    await this.#thread.close();
  }

  #pagesAhead(): number {
    try {
      const { log, checkpointed } = this.#progress.get() ?? { log: 0, checkpointed: 0 };
      return log - checkpointed;
    } catch {
      // SQLite reports nothing while this connection reads or writes. A later check finds it.
      return 0;
    }
  }

  async #run(): Promise<void> {
    this.#isInProgress = true;
    try {
      // The thread would open another file that replaced it, and write into that.
      if ((await this.#file.check()) === 'ok') await this.#thread.ask(null);
    } catch {
      // Everything is in the log, and stays there until the next checkpoint.
    } finally {
      this.#isInProgress = false;
    }
  }
}

/** Prepares a checkpoint that only reports its progress. */
function prepareProgress(sqlite: Database) {
  return sqlite.prepare<[], Progress>('pragma wal_checkpoint(noop)');
}
