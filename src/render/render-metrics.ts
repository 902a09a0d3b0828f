import { createHistogram } from 'node:perf_hooks';
import { Histogram } from 'prom-client';

/** Longer renders count as this: a day. */
const LONGEST_MS = 86_400_000;

/** Histogram of render times with a precision of two figures, in constant memory. */
export class RenderTimes {
  readonly #times = createHistogram({ highest: LONGEST_MS, figures: 2 });
  readonly #counts = new Map<number, number>();

  add(milliseconds: number): void {
    const whole = Math.min(LONGEST_MS, Math.max(1, Math.ceil(milliseconds)));
    this.#times.record(whole);
    const bound = boundOf(whole);
    this.#counts.set(bound, (this.#counts.get(bound) ?? 0) + 1);
  }

  /** Returns the numbers of all renders since the start, by an upper bound of their time in ms, to within a fifth. */
  counts(): Record<string, number> {
    return Object.fromEntries(this.#counts);
  }

  /** Returns median and p95 of the renders since the last call, in ms; none without renders. */
  take(): { p50Ms?: number; p95Ms?: number } {
    if (this.#times.count === 0) return {};
    const percentiles = { p50Ms: this.#times.percentile(50), p95Ms: this.#times.percentile(95) };
    this.#times.reset();
    return percentiles;
  }
}

/** Bounds grow by a fifth, so there are about a hundred. */
const boundOf = (milliseconds: number) => Math.ceil(2 ** (Math.ceil(4 * Math.log2(milliseconds)) / 4));

const SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

/** Histograms of waiting and render times. The metrics endpoint registers them. */
export function createRenderDurations() {
  return {
    waiting: new Histogram({
      name: 'darkroom_render_wait_seconds',
      help: 'Time that renders waited for a worker.',
      buckets: SECONDS,
      registers: [],
    }),
    rendering: new Histogram({
      name: 'darkroom_render_seconds',
      help: 'How long renders took in a worker, by the format that they made.',
      labelNames: ['format'],
      buckets: SECONDS,
      registers: [],
    }),
  };
}
