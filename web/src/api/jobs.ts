import { queryOptions } from '@tanstack/react-query';
import { queryOf } from './base.ts';
import { call } from './call.ts';
import type { Answers, Job } from './types.ts';

export type JobStatus = Job['status'];
export type JobPage = Answers['listJobs'];

export const JOBS_SHOWN = 200;

/** Newest jobs of one state, or of all. */
export const jobsQuery = (status: JobStatus | undefined) =>
  queryOptions({
    queryKey: ['jobs', 'list', status ?? 'all'],
    queryFn: ({ signal }) => call('listJobs', `queue/jobs${queryOf({ limit: JOBS_SHOWN, status })}`, { signal }),
  });

export const jobStatsQuery = queryOptions({
  queryKey: ['jobs', 'stats'],
  queryFn: ({ signal }) => call('getQueueStats', 'queue/stats', { signal }),
});

export const workerQuery = queryOptions({
  queryKey: ['jobs', 'worker'],
  queryFn: ({ signal }) => call('getWorkerStats', 'queue/worker/stats', { signal }),
});

const jobPath = (id: string) => `queue/jobs/${encodeURIComponent(id)}`;

export const retryJob = (id: string) => call('retryJob', `${jobPath(id)}/retry`, { method: 'POST', json: {} });
export const cancelJob = (id: string) => call('cancelJob', `${jobPath(id)}/cancel`, { method: 'POST', json: {} });
/** Stops a running job and deletes its record. */
export const deleteJob = (id: string) => call('deleteJob', jobPath(id), { method: 'DELETE' });
export const retryFailedJobs = () =>
  call('retryJobs', 'queue/jobs/retry', { method: 'POST', json: { status: 'error' } });
export const deleteJobs = (status: JobStatus) =>
  call('deleteJobs', `queue/jobs${queryOf({ status })}`, { method: 'DELETE' });
