import type { JobEvent } from '../api/job-events.ts';
import type { Job } from '../api/types.ts';

/**
 * Applies an event to a list of jobs.
 * @param now Unix milliseconds
 * @returns undefined if the list has to be refetched
 */
export function patchJobs(jobs: readonly Job[], event: JobEvent, now = Date.now()): Job[] | undefined {
  const { type, jobId } = event;
  if (type === 'job:created' || !jobs.some(({ id }) => id === jobId))
    return type === 'job:deleted' ? [...jobs] : undefined;
  if (type === 'job:deleted') return jobs.filter(({ id }) => id !== jobId);
  const change = changeOf(event, new Date(now).toISOString());
  return jobs.map((job) => (job.id === jobId && !isLate(event, job) ? { ...job, ...change } : job));
}

/** Progress events may arrive after completion. */
const isLate = ({ type }: JobEvent, { status }: Job) =>
  type === 'job:progress' && status !== 'pending' && status !== 'running';

function changeOf({ type, progress = 0, error }: JobEvent, at: string): Partial<Job> {
  switch (type) {
    case 'job:started':
      return { status: 'running', startedAt: at, completedAt: null, progress: 0, error: null };
    case 'job:progress':
      return { status: 'running', progress };
    case 'job:completed':
      return { status: 'completed', progress: 100, completedAt: at };
    case 'job:error':
      return { status: 'error', completedAt: at, error: error ?? null };
    case 'job:cancelled':
      return { status: 'cancelled', completedAt: at };
    default:
      return {};
  }
}
