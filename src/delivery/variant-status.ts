import type { Job, JobStatus } from '../jobs/job.ts';
import type { Rung } from './streaming/ladder.ts';

/** The state of a variant. */
export interface VariantStatus {
  status: JobStatus | 'not_found';
  /** The job that makes or has made it; undefined when none is known, for example when it was made long ago. */
  job: JobState | undefined;
  /** Of a stream of several files: the state of each. */
  rungs?: readonly RungStatus[];
}

/** What people are told of a job. */
export type JobState = Pick<Job, 'progress' | 'startedAt' | 'completedAt' | 'error' | 'trouble'>;

/** The state of one file of a stream. */
export interface RungStatus extends VariantStatus {
  rung: Rung;
}
