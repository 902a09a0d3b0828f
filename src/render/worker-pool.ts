import { unavailable } from '../errors.ts';
import type { Reply, WorkerSettings } from './tasks.ts';
import { WorkerProcess } from './worker-process.ts';

export interface WorkerPoolOptions {
  /** Number of processes. */
  size: number;
  /** Time without a task after which a worker ends, in ms; 0 for workers that stay. */
  idleMs: number;
  /** Tasks after which a worker is replaced, because native memory fragments. A start costs as much as 20 renders. */
  tasksPerWorker: number;
  /** A worker that holds more memory than this after a task is replaced. */
  retirementBytes: number;
  worker: WorkerSettings;
}

/**
 * The worker processes, at most one for each slot of the queue. Each starts when there is work for it, and ends after
 * a time without any. One that dies or retires is replaced.
 */
export class WorkerPool {
  readonly #options: WorkerPoolOptions;
  /** Each with the timer that ends it; undefined for one that stays. */
  readonly #workers = new Map<WorkerProcess, NodeJS.Timeout | undefined>();
  #isClosed = false;

  constructor(options: WorkerPoolOptions) {
    this.#options = options;
  }

  /** Starts one worker, so that the first task need not wait for it; all of them if they stay. */
  start(): void {
    const { size, idleMs } = this.#options;
    const count = idleMs === 0 ? size : 1;
    while (!this.#isClosed && this.#workers.size < count) this.#start();
  }

  /**
   * Returns a worker without a task, preferably one that has started, and of these the oldest: under little load, the
   * others become idle. The caller gives it a task immediately.
   * @throws HttpProblem 503 after `close`
   */
  take(): WorkerProcess {
    if (this.#isClosed) throw unavailable('The service is stopping.', 'stopping');
    const idle = [...this.#workers.keys()].filter(({ isBusy }) => !isBusy);
    return idle.find(({ isReady }) => isReady) ?? idle[0] ?? this.#start();
  }

  /** Memory of all workers after their last tasks. */
  get memoryBytes(): number {
    return [...this.#workers.keys()].reduce((sum, { memoryBytes }) => sum + memoryBytes, 0);
  }

  /** Called after each task. Replaces a worker after its number of tasks, or when it holds too much memory. */
  review(worker: WorkerProcess, { memoryBytes }: Reply): void {
    const { tasksPerWorker, retirementBytes } = this.#options;
    if (worker.done < tasksPerWorker && memoryBytes <= retirementBytes) {
      this.#workers.get(worker)?.refresh();
      return;
    }
    if (this.#workers.delete(worker)) this.#start();
    worker.kill();
  }

  /** Ends all workers, busy ones included. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const workers = [...this.#workers.keys()];
    for (const worker of workers) worker.kill();
    await Promise.all(workers.map(({ gone }) => gone));
  }

  #start(): WorkerProcess {
    const worker = new WorkerProcess(this.#options.worker);
    this.#workers.set(worker, this.#endWhenIdle(worker));
    void worker.gone.then(() => {
      clearTimeout(this.#workers.get(worker));
      // A worker that could not start is started again when there is work, not in a busy loop.
      if (this.#workers.delete(worker) && worker.isReady && !this.#isClosed) this.#start();
    });
    return worker;
  }

  /** A busy worker stays: its timer starts again after the task. */
  #endWhenIdle(worker: WorkerProcess): NodeJS.Timeout | undefined {
    const { idleMs } = this.#options;
    if (idleMs === 0) return undefined;
    const end = () => {
      // Removed first, so that no task gets it and none replaces it.
      if (!worker.isBusy && this.#workers.delete(worker)) worker.kill();
    };
    return setTimeout(end, idleMs).unref();
  }
}
