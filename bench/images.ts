import { measureBytes } from './images/bytes.ts';
import { measureCorners } from './images/corners.ts';
import { measureDetector } from './images/detector.ts';
import { measureSteps } from './images/steps.ts';
import type { Benchmark } from './tools/benchmark.ts';

/** `npm install --no-save calc-s2-rust@1.0.3` first: the metric of the last part is no dependency of the service. */
export const images: Benchmark = {
  name: 'images',
  async run({ quick }) {
    const rounds = quick ? 2 : 9;
    const parts = [
      await measureSteps(rounds),
      await measureCorners(quick ? 1 : 5),
      await measureDetector(rounds),
      await measureBytes(quick),
    ];
    return parts.join('\n\n');
  },
};
