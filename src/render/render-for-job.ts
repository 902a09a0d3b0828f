import type { RenderLimits } from '../image/limits.ts';
import { ImpossibleTranscode } from '../video/limits.ts';
import type { StillOrder } from '../video/still.ts';
import type { RenderPool } from './pool.ts';
import type { TaskRequest } from './tasks.ts';

/**
 * Renders an image that a job needs.
 * @throws ImpossibleTranscode for what is over a limit or no image; what the pool throws
 */
export async function renderForJob(
  pool: RenderPool,
  request: TaskRequest<'render'>,
  signal: AbortSignal,
): Promise<void> {
  const result = await pool.runUncharged('render', request, signal);
  if (result.outcome !== 'rendered') throw new ImpossibleTranscode(result.reason);
}

/** Creates the encoder of the still images of jobs, which runs in the workers of all images. */
export function createStillEncoder(pool: RenderPool, limits: RenderLimits) {
  const unending = new AbortController().signal;
  return async ({ input, output, format, quality, signal = unending }: StillOrder): Promise<void> => {
    const request = { inputs: { original: input }, output, options: { quality }, format, limits };
    await renderForJob(pool, request, signal);
  };
}
