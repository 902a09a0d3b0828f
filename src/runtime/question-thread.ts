import { flushCompileCache } from 'node:module';
import { parentPort, type ResourceLimits, Worker } from 'node:worker_threads';

/** Message to the thread: answer a question, or stop doing so. */
type Order<Question> = { id: number; question: Question } | { id: number; cancelled: true };

/** Message from the thread. Errors lose their code between threads. */
type Reply<Answer> = { id: number; answer: Answer } | { id: number; error: { message: string; code?: unknown } };

interface Waiting<Answer> {
  resolve(answer: Answer): void;
  reject(error: Error): void;
}

/** Time without a question after which a thread ends. A thread holds 5 MB, and starts in 30 ms. */
const IDLE_MS = 30_000;

/** The thread ended before it answered: it was closed, or died of its `cause`. */
export class ThreadEnded extends Error {
  override name = 'ThreadEnded';
}

/**
 * A thread that answers questions, one answer each; its file calls `answerQuestions`. The first question starts it, and
 * the next one restarts it after a crash or an idle time. It does not keep the process alive while no answer is
 * pending.
 */
export class QuestionThread<Question, Answer> {
  readonly #file: URL;
  readonly #workerData: unknown;
  readonly #resourceLimits: ResourceLimits;
  #waiting = new Map<number, Waiting<Answer>>();
  #worker: Worker | undefined;
  #idle: NodeJS.Timeout | undefined;
  #asked = 0;
  #isClosed = false;

  /** @param resourceLimits of the thread; by default those of the process apply */
  constructor(file: URL, workerData?: unknown, resourceLimits: ResourceLimits = {}) {
    this.#file = file;
    this.#workerData = workerData;
    this.#resourceLimits = resourceLimits;
  }

  /** @throws the error of the thread, with its message and `code`; ThreadEnded; DataCloneError; the signal's reason */
  async ask(question: Question, signal?: AbortSignal): Promise<Answer> {
    signal?.throwIfAborted();
    if (this.#isClosed) throw new Error('The thread is closed.');
    clearTimeout(this.#idle);
    this.#worker ??= this.#start();
    const worker = this.#worker;
    const waiting = this.#waiting;
    const id = this.#asked++;
    const { promise, resolve, reject } = Promise.withResolvers<Answer>();
    const cancel = () => {
      worker.postMessage({ id, cancelled: true } satisfies Order<Question>);
      reject(signal?.reason);
    };
    waiting.set(id, { resolve, reject });
    signal?.addEventListener('abort', cancel, { once: true });
    try {
      // Throws for a question that cannot be cloned.
      worker.postMessage({ id, question } satisfies Order<Question>);
      worker.ref();
      return await promise;
    } finally {
      signal?.removeEventListener('abort', cancel);
      waiting.delete(id);
      if (waiting.size === 0) this.#rest(worker);
    }
  }

  /** Ends the thread and all its questions. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#idle);
    await this.#worker?.terminate();
  }

  /** Called when a thread has answered all questions. */
  #rest(worker: Worker): void {
    worker.unref();
    if (this.#isClosed || this.#worker !== worker) return;
    const end = () => {
      // The next question starts another thread, also before this one has ended.
      this.#worker = undefined;
      void worker.terminate();
    };
    clearTimeout(this.#idle);
    this.#idle = setTimeout(end, IDLE_MS).unref();
  }

  #start(): Worker {
    const worker = new Worker(this.#file, { workerData: this.#workerData, resourceLimits: this.#resourceLimits });
    const waiting = new Map<number, Waiting<Answer>>();
    this.#waiting = waiting;
    let cause: unknown;
    worker.on('message', (reply: Reply<Answer>) => {
      const asker = waiting.get(reply.id);
      if ('error' in reply) asker?.reject(Object.assign(new Error(reply.error.message), reply.error));
      else asker?.resolve(reply.answer);
    });
    worker.on('error', (error) => {
      cause = error;
    });
    worker.on('exit', () => {
      if (this.#worker === worker) this.#worker = undefined;
      for (const { reject } of waiting.values()) reject(new ThreadEnded('The thread ended.', { cause }));
    });
    return worker;
  }
}

/**
 * Answers the questions of a `QuestionThread`, in the thread. Several may be in progress.
 * @param answer its signal aborts when the answer is no longer needed
 */
export function answerQuestions<Question, Answer>(
  answer: (question: Question, signal: AbortSignal) => Answer | Promise<Answer>,
): void {
  const running = new Map<number, AbortController>();
  const reply = (message: Reply<Answer>) => parentPort?.postMessage(message);
  parentPort?.on('message', async (order: Order<Question>) => {
    const { id } = order;
    if ('cancelled' in order) return running.get(id)?.abort();
    const abort = new AbortController();
    running.set(id, abort);
    try {
      reply({ id, answer: await answer(order.question, abort.signal) });
    } catch (error) {
      const { message = String(error), code } = error as { message?: string; code?: unknown };
      reply({ id, error: { message, code } });
    } finally {
      running.delete(id);
    }
  });
  // The thread is terminated from outside, and would lose its compile cache.
  flushCompileCache();
}
