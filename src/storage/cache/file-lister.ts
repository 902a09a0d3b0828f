import { yieldToEventLoop } from '../../concurrency.ts';
import { programFile } from '../../runtime/packed.ts';
import { QuestionThread } from '../../runtime/question-thread.ts';
import type { CachedFile } from './eviction.ts';
import type { FileList } from './list-thread.ts';

/** Files between two yields to the event loop: a few milliseconds. */
const PIECE_FILES = 2000;

/** Lists files in a thread: a promise per file costs several times as much as the work itself. */
export class FileLister {
  readonly #thread = new QuestionThread<string, FileList>(programFile('./list-thread', import.meta.url));

  /** Yields the files below a folder, without those deleted meanwhile. */
  async *below(folder: string, signal: AbortSignal): AsyncGenerator<CachedFile> {
    const { names, sizes, times } = await this.#thread.ask(folder, signal);
    for (const [index, name] of names.entries()) {
      if (index % PIECE_FILES === PIECE_FILES - 1) await yieldToEventLoop();
      yield { file: folder + name, size: sizes[index] ?? 0, usedAt: times[index] ?? 0 };
    }
  }

  close(): Promise<void> {
    return this.#thread.close();
  }
}
