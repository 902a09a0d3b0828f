import { Worker } from 'node:worker_threads';
import type { Sha256Answer, Sha256Order } from './sha256-thread.ts';

const THREAD = new URL('./sha256-thread.ts', import.meta.url);

interface Waiting {
  resolve(sha256: string): void;
  reject(error: Error): void;
}

/**
 * Hashes files in a thread of its own, a chunk at a time. On the event loop a gigabyte would take a second of everybody's time, and in
 * a render worker a long film would keep a place for as long as its disk takes. The thread starts with the first file.
 */
export class Sha256 {
  #thread: Worker | undefined;
  readonly #waiting = new Map<number, Waiting>();
  #orders = 0;

  /**
   * @returns 64 hexadecimal digits
   * @throws the error of the file system, or the reason of the signal
   */
  async ofFile(file: string, signal?: AbortSignal): Promise<string> {
    signal?.throwIfAborted();
    this.#thread ??= this.#start();
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    const id = this.#orders++;
    const cancel = () => {
      this.#send({ id, cancelled: true });
      reject(signal?.reason);
    };
    signal?.addEventListener('abort', cancel, { once: true });
    this.#waiting.set(id, { resolve, reject });
    this.#thread.ref();
    this.#send({ id, file });
    try {
      return await promise;
    } finally {
      signal?.removeEventListener('abort', cancel);
      this.#waiting.delete(id);
      if (this.#waiting.size === 0) this.#thread?.unref();
    }
  }

  async close(): Promise<void> {
    await this.#thread?.terminate();
  }

  #send(order: Sha256Order): void {
    this.#thread?.postMessage(order);
  }

  #start(): Worker {
    const thread = new Worker(THREAD);
    const end = (error: Error) => {
      if (this.#thread === thread) this.#thread = undefined;
      for (const { reject } of this.#waiting.values()) reject(error);
    };
    thread.on('message', (answer: Sha256Answer) => {
      const waiting = this.#waiting.get(answer.id);
      if ('error' in answer) waiting?.reject(Object.assign(new Error(answer.error.message), answer.error));
      else waiting?.resolve(answer.sha256);
    });
    thread.on('error', end);
    thread.on('exit', () => end(new Error('The thread that hashes files ended.')));
    return thread;
  }
}
