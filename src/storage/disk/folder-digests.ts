import { programFile } from '../../runtime/packed.ts';
import { QuestionThread } from '../../runtime/question-thread.ts';
import type { DigestAnswer, DigestOrder } from './digest-thread.ts';

/**
 * Looks whether folders are as they were, in a thread of its own, which may wait for the disk: a promise for each file would cost several
 * times the look itself.
 */
export class FolderDigests {
  readonly #thread = new QuestionThread<DigestOrder, DigestAnswer>(programFile('./digest-thread', import.meta.url));

  /** @param folders real places on the disk, in absolute form */
  of(folders: DigestOrder, signal?: AbortSignal): Promise<DigestAnswer> {
    return this.#thread.ask(folders, signal);
  }

  close(): Promise<void> {
    return this.#thread.close();
  }
}
