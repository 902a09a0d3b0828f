import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { listenToJobs } from '../api/job-events.ts';
import { type JobPage, type JobStatus, jobStatsQuery, jobsQuery } from '../api/jobs.ts';
import { patchJobs } from './patch.ts';

/** Delay of a refetch, which merges events. */
const REREAD_MS = 400;

/** Jobs of a state, or all: fetched once, then updated by events. */
export function useLiveJobs(status: JobStatus | undefined) {
  const client = useQueryClient();
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const reread = (key: readonly unknown[]) => {
      timer ??= setTimeout(() => {
        timer = undefined;
        void client.invalidateQueries({ queryKey: key });
      }, REREAD_MS);
    };
    const { queryKey } = jobsQuery(status);
    const end = listenToJobs(
      (event) => {
        const page = client.getQueryData<JobPage>(queryKey);
        const jobs = page && patchJobs(page.jobs, event);
        if (page && jobs) client.setQueryData<JobPage>(queryKey, { ...page, jobs });
        // Progress changes neither counts nor membership in a state.
        if (event.type !== 'job:progress') reread(status === undefined && jobs ? jobStatsQuery.queryKey : ['jobs']);
      },
      () => void client.invalidateQueries({ queryKey: ['jobs'] }),
    );
    return () => {
      clearTimeout(timer);
      end();
    };
  }, [client, status]);
  return useQuery(jobsQuery(status));
}
