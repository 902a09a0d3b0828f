import { unavailable } from '../errors.ts';
import type { Reply, WorkerSettings } from './tasks.ts';
import { WorkerProcess } from './worker-process.ts';

export interface WorkerPoolOptions {
  /** Number of processes. */
  size: number;
  /** Tasks after which a worker is replaced, because native memory fragments. A start costs as much as 20 renders. */
  tasksPerWorker: number;
  /** A worker that holds more memory than this after a task is replaced. */
  retirementBytes: number;
  worker: WorkerSettings;
}

/**
 * The worker processes, one for each slot of the queue. Each is started when there is work for it, or all of them by
 * `start`. One that ends or retires is replaced.
 */
export class WorkerPool {
  readonly #options: WorkerPoolOptions;
  readonly #workers = new Set<WorkerProcess>();
  #isClosed = false;

  constructor(options: WorkerPoolOptions) {
    this.#options = options;
  }

  /** Starts the missing workers, so that the first tasks need not wait for them. */
  start(): void {
    while (!this.#isClosed && this.#workers.size < this.#options.size) this.#start();
  }

  /**
   * Returns a worker without a task, preferably one that has started.
   * @throws HttpProblem 503 after `close`
   */
  take(): WorkerProcess {
    if (this.#isClosed) throw unavailable('The service is stopping.', 'stopping');
    const idle = [...this.#workers].filter(({ isBusy }) => !isBusy);
    return idle.find(({ isReady }) => isReady) ?? idle[0] ?? this.#start();
  }

  /** Memory of all workers after their last tasks. */
  get memoryBytes(): number {
    return [...this.#workers].reduce((sum, { memoryBytes }) => sum + memoryBytes, 0);
  }

  /** Replaces a worker after its number of tasks, or when it holds too much memory. */
  review(worker: WorkerProcess, { memoryBytes }: Reply): void {
    const { tasksPerWorker, retirementBytes } = this.#options;
    if (worker.done < tasksPerWorker && memoryBytes <= retirementBytes) return;
    if (this.#workers.delete(worker)) this.#start();
    worker.kill();
  }

  /** Ends all workers, busy ones included. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const workers = [...this.#workers];
    for (const worker of workers) worker.kill();
    await Promise.all(workers.map(({ gone }) => gone));
  }

  #start(): WorkerProcess {
    const worker = new WorkerProcess(this.#options.worker);
    this.#workers.add(worker);
    void worker.gone.then(() => {
      // A worker that could not start is started again when there is work, not in a busy loop.
      if (this.#workers.delete(worker) && worker.isReady && !this.#isClosed) this.#start();
    });
    return worker;
  }
}
