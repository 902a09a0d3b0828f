import { prepareSharp } from '../../src/image/loaders.ts';
import { renderImage } from '../../src/image/pipeline.ts';
import { imageSteps } from '../../src/image/steps/index.ts';
import { parseSegment } from '../../src/transformation/transformation.ts';
import type { Taken } from './peak.ts';

// Renders one animation, and says what it took: `input output segment format`.
const LIMITS = { inputMegapixels: 100, animationFrames: 2000, outputSide: 8192, outputMegapixels: 50 };
const [, , original = '', output = '', segment = '', format] = process.argv;
prepareSharp();
const { outcome } = await renderImage({
  inputs: { original },
  output,
  options: parseSegment(segment, imageSteps, [], LIMITS) ?? {},
  format: format === 'gif' ? 'gif' : 'webp',
  limits: LIMITS,
});
if (outcome !== 'rendered') throw new Error(`${segment}: ${outcome}`);
const { maxRSS, userCPUTime, systemCPUTime } = process.resourceUsage();
const taken: Taken = { megabytes: Math.round(maxRSS / 1024), cpuMs: (userCPUTime + systemCPUTime) / 1000 };
process.stdout.write(JSON.stringify(taken));
