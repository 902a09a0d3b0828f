import { yieldToEventLoop } from '../../concurrency.ts';
import { programFile } from '../../runtime/packed.ts';
import { QuestionThread } from '../../runtime/question-thread.ts';
import type { CachedFile, Use } from './eviction.ts';
import type { FileList, ListOrder } from './list-thread.ts';

/** Files between two yields to the event loop: a few milliseconds. */
const PIECE_FILES = 2000;

/** Almost nothing that the thread allocates lives on, so that it needs no more between two collections. */
const LIMITS = { maxYoungGenerationSizeMb: 4 };

/**
 * Lists files in a thread: a promise per file costs several times as much as the work itself. Names are read only where
 * they are needed, because most of the memory is theirs.
 */
export class FileLister {
  readonly #thread = new QuestionThread<ListOrder, FileList>(
    programFile('./list-thread', import.meta.url),
    undefined,
    LIMITS,
  );

  /** Yields sizes and uses of the files below a folder, without those deleted meanwhile. */
  uses(folder: string, signal: AbortSignal): AsyncGenerator<Use> {
    return this.#list({ folder }, signal);
  }

  /** Yields the files below a folder that were last used by a time, in ms. */
  usedUntil(time: number, folder: string, signal: AbortSignal): AsyncGenerator<CachedFile> {
    return this.#list({ folder, usedUntil: time }, signal);
  }

  async *#list(order: ListOrder, signal: AbortSignal): AsyncGenerator<CachedFile> {
    const { names, sizes, times } = await this.#thread.ask(order, signal);
    for (const [index, size] of sizes.entries()) {
      if (index % PIECE_FILES === PIECE_FILES - 1) await yieldToEventLoop();
      yield { file: order.folder + (names[index] ?? ''), size, usedAt: times[index] ?? 0 };
    }
  }

  close(): Promise<void> {
    return this.#thread.close();
  }
}
