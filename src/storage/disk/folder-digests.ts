import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { DigestAnswer, DigestOrder } from './digest-thread.ts';

/**
 * Looks whether folders are as they were, in a thread of its own, which may wait for the disk: a promise for each file would cost several
 * times the look itself. The thread starts with the first look.
 */
export class FolderDigests {
  #thread: Worker | undefined;

  /** One look after another. @param folders real places on the disk, in absolute form */
  async of(folders: DigestOrder, signal?: AbortSignal): Promise<DigestAnswer> {
    this.#thread ??= new Worker(new URL('./digest-thread.ts', import.meta.url));
    const answered = once(this.#thread, 'message', { signal });
    this.#thread.postMessage(folders);
    const [answer] = (await answered) as [DigestAnswer];
    return answer;
  }

  async close(): Promise<void> {
    await this.#thread?.terminate();
  }
}
