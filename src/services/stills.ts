import type { RenderLimits } from '../image/limits.ts';
import type { RenderPool } from '../render/pool.ts';
import { renderForJob } from '../render/render-for-job.ts';
import type { StillOrder } from '../video/still.ts';

/** Encodes the still images of jobs with the render workers of all images. */
export function createStillEncoder(pool: RenderPool, limits: RenderLimits) {
  const unending = new AbortController().signal;
  return async ({ input, output, format, quality, signal = unending }: StillOrder): Promise<void> => {
    const request = { inputs: { original: input }, output, options: { quality }, format, limits };
    await renderForJob(pool, request, signal);
  };
}
