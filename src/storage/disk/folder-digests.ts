import { programFile } from '../../runtime/packed.ts';
import { QuestionThread } from '../../runtime/question-thread.ts';
import type { DigestAnswer, DigestOrder } from './digest-thread.ts';

/**
 * Computes digests of folders in a separate thread, which may block on the disk: a promise per file would cost several
 * times as much as the work itself.
 */
export class FolderDigests {
  readonly #thread = new QuestionThread<DigestOrder, DigestAnswer>(programFile('./digest-thread', import.meta.url));

  /** @param folders absolute real paths on the disk */
  of(folders: DigestOrder, signal?: AbortSignal): Promise<DigestAnswer> {
    return this.#thread.ask(folders, signal);
  }

  close(): Promise<void> {
    return this.#thread.close();
  }
}
