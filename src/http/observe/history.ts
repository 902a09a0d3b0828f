import type { Services } from '../../library-services.ts';
import { ActivityLog } from '../../usage/activity.ts';
import type { Metrics } from './metrics.ts';

/** Events of a step, and the state at its end. */
export interface Sample {
  /** The end of the step. */
  at: Date;
  requests: number;
  /** Variants served from the cache. */
  hits: number;
  /** Variants that had to be rendered. */
  misses: number;
  bytesSent: number;
  renders: number;
  /** Median of render times, in ms; undefined without renders. */
  renderP50Ms: number | undefined;
  /** p95 of render times, in ms; undefined without renders. */
  renderP95Ms: number | undefined;
  /** Number of waiting renders. */
  queued: number;
  /** Memory of the process, in bytes. */
  rss: number;
  /** Waiting and running jobs of all nodes; undefined when the database did not answer. */
  jobs: number | undefined;
}

/** Figures that only increase. */
const TOTALS = ['requests', 'hits', 'misses', 'bytesSent', 'renders'] as const;

/** The current figures; totals since the start of the process. */
export type Reading = Omit<Sample, 'at'>;

export interface HistoryOptions {
  read(): Promise<Reading>;
  /** Unix milliseconds. */
  now?: () => number;
}

export const STEP_SECONDS = 60;

/** Samples of a day. */
const MAX_SAMPLES = (24 * 60 * 60) / STEP_SECONDS;

/**
 * The figures of the last day, one sample a minute, in memory. It reads existing counters, so that no request takes
 * longer.
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

  /** Ends a step. Concurrent steps are serialized. */
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

  /** Returns undefined for an unreadable figure: the history has a gap, and nothing else is affected. */
  #tryToRead(): Promise<Reading | undefined> {
    return this.#read().catch(() => undefined);
  }

  /** Samples of the last minutes, the oldest first. */
  last(minutes: number): readonly Sample[] {
    return this.#samples.slice(-Math.ceil((minutes * 60) / STEP_SECONDS));
  }

  close(): void {
    clearInterval(this.#timer);
  }
}

/**
 * Creates a reader of the figures of this process.
 * @param bytesSent over all its connections
 */
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
    const { p50Ms: renderP50Ms, p95Ms: renderP95Ms } = pool.times.take();
    return { ...totals, renderP50Ms, renderP95Ms, queued, rss: process.memoryUsage.rss(), jobs };
  };
}

/** Opens the figures of the last day, of this node, and of the last month, of all nodes. */
export function openFigures(
  services: Pick<Services, 'pool' | 'queue' | 'database' | 'log'>,
  metrics: Metrics,
  bytesSent: () => number,
): { history: History; activity: ActivityLog } {
  const { pool, database, log } = services;
  const readTotals = async () => ({
    counts: { ...(await metrics.totals()), bytesSent: bytesSent(), renders: pool.stats().rendered },
    renderTimes: pool.times.counts(),
    errors: metrics.errors(),
  });
  return {
    history: new History({ read: createReader(services, metrics, bytesSent) }),
    activity: new ActivityLog({ database, log, read: readTotals }),
  };
}
