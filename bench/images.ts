import { measureBytes } from './images/bytes.ts';
import { measureDetector } from './images/detector.ts';
import { measureSteps } from './images/steps.ts';
import type { Benchmark } from './tools/benchmark.ts';

/** `npm install --no-save calc-s2-rust@1.0.3` first: the metric of the last part is no dependency of the service. */
export const images: Benchmark = {
  name: 'images',
  async run({ quick }) {
    const rounds = quick ? 2 : 9;
    return [await measureSteps(rounds), await measureDetector(rounds), await measureBytes(quick)].join('\n\n');
  },
};
