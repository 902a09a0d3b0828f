import { Histogram } from 'prom-client';

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
