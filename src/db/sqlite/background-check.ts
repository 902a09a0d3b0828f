import type Database from 'better-sqlite3';
import { hasCode } from '../../errors.ts';
import { programFile } from '../../runtime/packed.ts';
import { QuestionThread } from '../../runtime/question-thread.ts';
import type { DatabaseFile } from './database-file.ts';

/** A table of a database to check. */
export interface TableToCheck {
  file: string;
  table: string;
}

/**
 * Checks a large database for damage in a thread, while it is in use. Table by table: the thread can end in between, and
 * a long read would keep the write-ahead log from starting again.
 */
export class BackgroundCheck {
  readonly #sqlite: Database;
  readonly #file: DatabaseFile;
  readonly #thread = new QuestionThread<TableToCheck, string>(programFile('./check-thread', import.meta.url));
  readonly #timer: NodeJS.Timeout;

  /** @param sqlite a database in a file; `file` is its location when it was opened */
  constructor(sqlite: Database, file: DatabaseFile, delayMs: number) {
    this.#sqlite = sqlite;
    this.#file = file;
    this.#timer = setTimeout(() => void this.#run(), delayMs).unref();
  }

  async close(): Promise<void> {
    clearTimeout(this.#timer);
    await this.#thread.close();
  }

  /** A check that fails for another reason proves nothing. */
  async #run(): Promise<void> {
    try {
      const tables = this.#sqlite.prepare<[], { name: string }>("select name from sqlite_master where type = 'table'");
      for (const { name } of tables.all()) {
        // The thread would open another file that replaced it.
        if ((await this.#file.check()) !== 'ok') return;
        const state = await this.#thread.ask({ file: this.#sqlite.name, table: name });
        if (state !== 'ok') this.#file.noteDamage();
      }
    } catch (error) {
      if (hasCode(error, 'SQLITE_CORRUPT')) this.#file.noteDamage();
    } finally {
      await this.#thread.close();
    }
  }
}
