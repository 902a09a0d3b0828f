import { Histogram } from 'prom-client';

/** Each bucket ends a tenth above the one before: the last one ends after hours. */
const GROWTH = 1.1;
const BUCKETS = 180;

/** Histogram of render times with a precision of a tenth, in constant memory. */
export class RenderTimes {
  readonly #buckets = new Uint32Array(BUCKETS);
  #count = 0;

  add(milliseconds: number): void {
    const bucket = Math.ceil(Math.log(Math.max(1, milliseconds)) / Math.log(GROWTH));
    const index = Math.min(BUCKETS - 1, bucket);
    this.#buckets[index] = (this.#buckets[index] ?? 0) + 1;
    this.#count++;
  }

  /** Returns the p95 of the renders since the last call, in ms; undefined without renders. */
  take(): number | undefined {
    if (this.#count === 0) return undefined;
    let left = Math.ceil(this.#count * 0.95);
    const index = this.#buckets.findIndex((count) => {
      left -= count;
      return left <= 0;
    });
    this.#buckets.fill(0);
    this.#count = 0;
    return Math.round(GROWTH ** index);
  }
}

const SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

/** Histograms of waiting and render times. The metrics endpoint registers them. */
export function createRenderDurations() {
  return {
    waiting: new Histogram({
      name: 'darkroom_render_wait_seconds',
      help: 'How long renders waited for a place in a worker.',
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
