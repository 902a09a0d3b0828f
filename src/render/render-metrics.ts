import { createHistogram } from 'node:perf_hooks';
import { Histogram } from 'prom-client';

/** Longer renders count as this: a day. */
const LONGEST_MS = 86_400_000;

/** Histogram of render times with a precision of two figures, in constant memory. */
export class RenderTimes {
  readonly #times = createHistogram({ highest: LONGEST_MS, figures: 2 });

  add(milliseconds: number): void {
    this.#times.record(Math.min(LONGEST_MS, Math.max(1, Math.ceil(milliseconds))));
  }

  /** Returns the p95 of the renders since the last call, in ms; undefined without renders. */
  take(): number | undefined {
    if (this.#times.count === 0) return undefined;
    const p95 = this.#times.percentile(95);
    this.#times.reset();
    return p95;
  }
}

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
