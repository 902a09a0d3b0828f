import { plural } from './plural.ts';

const jobs = (count: number) => plural(count, 'job', 'jobs');

/** What the page of the jobs says. */
export const jobsMessages = {
  title: 'Jobs',
  show: 'Job status',
  all: 'All',
  status: { pending: 'Waiting', running: 'Running', completed: 'Completed', error: 'Failed', cancelled: 'Cancelled' },
  empty: 'No jobs yet',
  emptyText: 'Request a transformed video to queue a transcode, such as /t/w_640/clip.mp4',
  none: {
    pending: 'No waiting jobs',
    running: 'No running jobs',
    completed: 'No completed jobs',
    error: 'No failed jobs',
    cancelled: 'No cancelled jobs',
  },
  hidden: (shown: number, total: number) => `Showing the newest ${shown} of ${total} jobs.`,
  noWorker: 'Transcoding is unavailable: ffmpeg is missing.',
  workers: (busy: number, most: number) => `${busy} of ${most} ${most === 1 ? 'worker' : 'workers'} busy`,
  average: (time: string) => `${time} on average`,
  progress: (path: string) => `Progress of ${path}`,
  queued: (ago: string) => `Queued ${ago}`,
  since: (state: string, ago: string) => `${state} ${ago}`,
  took: (time: string) => `took ${time}`,
  attempts: (count: number) => `${count} attempts`,
  cancel: 'Cancel',
  cancelOne: (path: string) => `Cancel ${path}`,
  stop: 'Stop',
  stopOne: (path: string) => `Stop ${path}`,
  retry: 'Retry',
  retryOne: (path: string) => `Retry ${path}`,
  removeOne: (path: string) => `Remove ${path} from the list`,
  open: 'Open',
  retryAll: 'Retry all',
  retried: (count: number) => `Queued ${jobs(count)} again.`,
  clear: { pending: 'Cancel all', completed: 'Clear completed', error: 'Clear failed', cancelled: 'Clear cancelled' },
  clearTitle: (count: number) => `Remove ${jobs(count)}?`,
  clearText: 'Removes the jobs from this list. Transcoded videos are kept.',
  cleared: (count: number) => `Removed ${jobs(count)}.`,
};
