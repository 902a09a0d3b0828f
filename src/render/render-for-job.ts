import { ImpossibleTranscode } from '../video/limits.ts';
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
