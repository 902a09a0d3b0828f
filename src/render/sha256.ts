import { programFile } from '../runtime/packed.ts';
import { QuestionThread } from '../runtime/question-thread.ts';

/**
 * Hashes files in a thread of its own, a chunk at a time. On the event loop a gigabyte would take a second of
 * everybody's time, and in a render worker a long film would keep a place for as long as its disk takes.
 */
export class Sha256 {
  readonly #thread = new QuestionThread<string, string>(programFile('./sha256-thread', import.meta.url));

  /**
   * @returns 64 hexadecimal digits
   * @throws the error of the file system, or the reason of the signal
   */
  ofFile(file: string, signal?: AbortSignal): Promise<string> {
    return this.#thread.ask(file, signal);
  }

  close(): Promise<void> {
    return this.#thread.close();
  }
}
