import { setTimeout as pause } from 'node:timers/promises';
import type { FailureLog } from '../log.ts';
import type { ClaimedJob } from './job.ts';
import type { Queue } from './queue.ts';

/** The job was deleted, or is another worker's. */
export class JobGone extends Error {
  override name = 'JobGone';
}

/** The pause before what happened to a job is written down once more doubles with each attempt, in milliseconds. */
const [FIRST_PAUSE_MS, LONGEST_PAUSE_MS] = [100, 2000];

/** A claimed job in the hands of this process: for how long, and whether it has to be given up. */
export class Lease {
  readonly job: ClaimedJob;
  readonly #queue: Queue;
  readonly #renewals: FailureLog;
  readonly #abort = new AbortController();
  /** By a clock that nobody sets, and never later than the database thinks. */
  #endsAt: number;

  /** @param claimedAt when the claim was sent, by `performance.now()` */
  constructor(queue: Queue, job: ClaimedJob, claimedAt: number, renewals: FailureLog) {
    this.#queue = queue;
    this.job = job;
    this.#renewals = renewals;
    this.#endsAt = claimedAt + queue.leaseMs;
  }

  /** Aborts when the work has to stop. */
  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  giveUp(reason: Error): void {
    this.#abort.abort(reason);
  }

  /**
   * Keeps the job for longer. A failure of the database says nothing about the job, so the work goes on; but nobody else may begin it
   * as well, so it goes on no longer than the lease.
   */
  async renew(progress?: number): Promise<void> {
    if (this.signal.aborted) return;
    const askedAt = performance.now();
    try {
      const isHeld = await this.#queue.renew(this.job, progress);
      this.#renewals.succeeded();
      if (isHeld) this.#endsAt = askedAt + this.#queue.leaseMs;
      else this.giveUp(new JobGone('The job was deleted, or another worker took it over.'));
    } catch (error) {
      this.#renewals.failed(error);
      if (performance.now() >= this.#endsAt)
        this.giveUp(new JobGone('The database did not answer until another worker may have taken the job over.'));
    }
  }

  /**
   * Writes down what has become of the job. When the database does not answer, it is tried again for as long as the job is ours, so that
   * no work is lost by a short outage.
   * @throws what the last attempt has thrown
   */
  async insist<T>(write: () => Promise<T>): Promise<T> {
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(LONGEST_PAUSE_MS, pauseMs * 2)) {
      try {
        return await write();
      } catch (error) {
        if (this.signal.aborted || performance.now() + pauseMs >= this.#endsAt) throw error;
        await pause(pauseMs, undefined, { signal: this.signal }).catch(() => Promise.reject(error));
      }
    }
  }
}
