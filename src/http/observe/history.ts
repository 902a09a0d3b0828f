import type { Services } from '../../services.ts';
import type { Metrics } from './metrics.ts';

/** What happened in a step, and how things were at its end. */
export interface Sample {
  /** The end of the step. */
  at: Date;
  requests: number;
  /** Variants that were there. */
  hits: number;
  /** Variants that had to be made. */
  misses: number;
  bytesSent: number;
  renders: number;
  /** 95 of 100 renders took no longer, in milliseconds; undefined when there were none. */
  renderP95Ms: number | undefined;
  /** Renders that wait. */
  queued: number;
  /** Memory of the process, in bytes. */
  rss: number;
  /** Jobs of all machines that wait or run; undefined when the database did not say. */
  jobs: number | undefined;
}

/** Figures that only grow. */
const TOTALS = ['requests', 'hits', 'misses', 'bytesSent', 'renders'] as const;

/** The figures as they are now; totals since the start of the process. */
export type Reading = Omit<Sample, 'at'>;

export interface HistoryOptions {
  read(): Promise<Reading>;
  /** Unix milliseconds. */
  now?: () => number;
}

export const STEP_SECONDS = 60;

/** Those of a day. */
const MAX_SAMPLES = (24 * 60 * 60) / STEP_SECONDS;

/**
 * The figures of the last day, one sample a minute, in memory. It reads what is counted anyway, so that no request takes longer.
 */
export class History {
  readonly #read: HistoryOptions['read'];
  readonly #now: () => number;
  readonly #timer: NodeJS.Timeout;
  readonly #samples: Sample[] = [];
  /** The reading at the end of the last step; undefined when there was none. */
  #before: Promise<Reading | undefined>;

  constructor({ read, now = Date.now }: HistoryOptions) {
    this.#read = read;
    this.#now = now;
    this.#before = this.#tryToRead();
    this.#timer = setInterval(() => void this.sample(), STEP_SECONDS * 1000).unref();
  }

  /** Ends a step. Steps that end at once come one after the other. */
  async sample(): Promise<void> {
    this.#before = this.#before.then((before) => this.#end(before));
    await this.#before;
  }

  async #end(before: Reading | undefined): Promise<Reading | undefined> {
    const after = await this.#tryToRead();
    if (before === undefined || after === undefined) return after ?? before;
    const since = Object.fromEntries(TOTALS.map((name) => [name, after[name] - before[name]]));
    this.#samples.push({ ...after, ...since, at: new Date(this.#now()) });
    if (this.#samples.length > MAX_SAMPLES) this.#samples.shift();
    return after;
  }

  /** What cannot be read is missing from the history, and disturbs nothing else. */
  #tryToRead(): Promise<Reading | undefined> {
    return this.#read().catch(() => undefined);
  }

  /** Those of the last minutes, the oldest first. */
  last(minutes: number): readonly Sample[] {
    return this.#samples.slice(-Math.ceil((minutes * 60) / STEP_SECONDS));
  }

  close(): void {
    clearInterval(this.#timer);
  }
}

/** Reads the figures of this process. @param bytesSent over all its connections */
export function createReader(
  { pool, queue }: Pick<Services, 'pool' | 'queue'>,
  metrics: Metrics,
  bytesSent: () => number,
): () => Promise<Reading> {
  return async () => {
    const jobs = await queue.jobs.counts().then(
      ({ pending, running }) => pending + running,
      () => undefined,
    );
    const { rendered: renders, queued } = pool.stats();
    const totals = { ...(await metrics.totals()), bytesSent: bytesSent(), renders };
    return { ...totals, renderP95Ms: pool.times.take(), queued, rss: process.memoryUsage.rss(), jobs };
  };
}
