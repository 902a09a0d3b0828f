import { plural } from './plural.ts';

const jobs = (count: number) => plural(count, 'job', 'jobs');

/** What the page of the jobs says. */
export const jobsMessages = {
  title: 'Jobs',
  show: 'Which jobs are shown',
  all: 'All',
  status: { pending: 'Waiting', running: 'Running', completed: 'Done', error: 'Failed', cancelled: 'Cancelled' },
  empty: 'No jobs yet',
  emptyText: 'Ask for a video in another size, and it is transcoded here: /t/w_640/clip.mp4',
  none: {
    pending: 'Nothing waits',
    running: 'Nothing runs',
    completed: 'Nothing is done yet',
    error: 'Nothing has failed',
    cancelled: 'Nothing was cancelled',
  },
  hidden: (shown: number, total: number) => `The newest ${shown} of ${total} are shown.`,
  noWorker: 'Nothing is transcoded here: ffmpeg is missing.',
  workers: (busy: number, most: number) => `${busy} of ${most} ${most === 1 ? 'place' : 'places'} busy`,
  average: (time: string) => `${time} on average`,
  progress: (path: string) => `Progress of ${path}`,
  queued: (ago: string) => `Queued ${ago}`,
  since: (state: string, ago: string) => `${state} ${ago}`,
  took: (time: string) => `took ${time}`,
  attempts: (count: number) => `${count} tries`,
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
  clear: { pending: 'Cancel all', completed: 'Clear done', error: 'Clear failed', cancelled: 'Clear cancelled' },
  clearTitle: (count: number) => `Remove ${jobs(count)}?`,
  clearText: 'They go from this list. Finished videos stay.',
  cleared: (count: number) => `Removed ${jobs(count)}.`,
};
