import { programFile } from '../../runtime/packed.ts';
import { QuestionThread } from '../../runtime/question-thread.ts';

/** An upload is two writes and changes some 25 pages. */
const WRITES = 80;

/**
 * How much is written ahead before SQLite makes a checkpoint at the end of a write, in pages of 4 KB: ten times what it has by default,
 * so that it comes to that only where much is written without a break.
 */
export const MAX_PAGES_AHEAD = 10_000;

/**
 * Moves what was written ahead into the database, in a thread. SQLite would do it now and then at the end of a write, and the whole
 * service would wait for the disk twice: a moment mostly, and seconds where much else is being written.
 */
export class Checkpoints {
  readonly #thread: QuestionThread<null, void>;
  #writes = 0;
  #isUnderWay = false;

  /** @param file of a database that is open and writes ahead */
  constructor(file: string) {
    this.#thread = new QuestionThread(programFile('./checkpoint-thread', import.meta.url), { file });
  }

  /** To be told of each write that is committed. */
  written(): void {
    if (++this.#writes >= WRITES && !this.#isUnderWay) void this.#make();
  }

  async close(): Promise<void> {
    await this.#thread.close();
  }

  async #make(): Promise<void> {
    this.#isUnderWay = true;
    this.#writes = 0;
    try {
      await this.#thread.ask(null);
    } catch {
      // What is wrong with the disk or the file is told to those who write. The next checkpoint makes up for this one.
    } finally {
      this.#isUnderWay = false;
    }
  }
}
