import type { Job, JobStatus } from '../jobs/job.ts';
import type { Rendition } from './streaming/ladder.ts';

export interface VariantStatus {
  status: JobStatus | 'not_found';
  /** Job that makes or made it; undefined if unknown, for example if it was made long ago. */
  job: JobState | undefined;
  /** Of a stream of several files: the state of each. */
  renditions?: readonly RenditionStatus[];
}

/** Public fields of a job. */
type JobState = Pick<Job, 'progress' | 'startedAt' | 'completedAt' | 'error' | 'trouble'>;

/** State of one file of a stream. */
interface RenditionStatus extends VariantStatus {
  rendition: Rendition;
}

const ENDED: readonly VariantStatus['status'][] = ['completed', 'error', 'cancelled'];

/** Returns the state of a stream: of all its files together, and of each. */
export function statusOfLadder(renditions: readonly RenditionStatus[]): VariantStatus {
  const status = statusOf(renditions);
  return { status, job: status === 'not_found' ? undefined : combine(renditions, status), renditions };
}

function statusOf(renditions: readonly RenditionStatus[]): VariantStatus['status'] {
  const has = (requested: VariantStatus['status']) => renditions.some(({ status }) => status === requested);
  if (has('running') || (has('pending') && has('completed'))) return 'running';
  if (has('pending')) return 'pending';
  if (renditions.length === 0 || has('not_found')) return 'not_found';
  // Failed renditions are omitted; a stream needs at least one with video.
  if (renditions.some(({ rendition, status }) => rendition.kind === 'picture' && status === 'completed'))
    return 'completed';
  return has('error') ? 'error' : 'cancelled';
}

/** Combines jobs as if one had made everything. */
function combine(renditions: readonly RenditionStatus[], status: JobStatus): JobState {
  const jobs = renditions.map(({ job }) => job).filter((job) => job !== undefined);
  const progress = renditions.reduce((sum, rendition) => sum + progressOf(rendition), 0) / renditions.length;
  const isEnded = ENDED.includes(status);
  return {
    progress: Math.floor(progress),
    startedAt: dates(jobs, 'startedAt')[0],
    completedAt: isEnded ? dates(jobs, 'completedAt').at(-1) : undefined,
    error: isEnded ? jobs.find(({ error }) => error !== undefined)?.error : undefined,
    trouble: jobs.find(({ trouble }) => trouble !== undefined)?.trouble,
  };
}

/** Returns the progress in percent; ended jobs count as 100. */
export function progressOf({ status, job }: VariantStatus): number {
  return ENDED.includes(status) ? 100 : (job?.progress ?? 0);
}

function dates(jobs: readonly JobState[], name: 'startedAt' | 'completedAt'): Date[] {
  const known = jobs.map((job) => job[name]).filter((date) => date !== undefined);
  return known.sort((a, b) => a.getTime() - b.getTime());
}
