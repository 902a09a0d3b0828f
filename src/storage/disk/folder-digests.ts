import { programFile } from '../../runtime/packed.ts';
import { QuestionThread } from '../../runtime/question-thread.ts';
import type { DigestAnswer, DigestOrder } from './digest-thread.ts';

/**
 * Looks whether folders are as they were, in threads of its own, which may wait for the disk: a promise for each file would cost several
 * times the look itself.
 */
export class FolderDigests {
  /** So many orders are followed at a time. One thread needs half as long again as `find` does. */
  static readonly THREADS = 2;
  readonly #threads = Array.from({ length: FolderDigests.THREADS }, startThread);

  /** @param folders real places on the disk, in absolute form */
  of(folders: DigestOrder, signal?: AbortSignal): Promise<DigestAnswer> {
    const thread = this.#threads.reduce((one, other) => (other.waiting < one.waiting ? other : one));
    return thread.ask(folders, signal);
  }

  async close(): Promise<void> {
    await Promise.all(this.#threads.map((thread) => thread.close()));
  }
}

const startThread = () =>
  new QuestionThread<DigestOrder, DigestAnswer>(programFile('./digest-thread', import.meta.url));
