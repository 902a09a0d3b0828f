import { plural } from './plural.ts';

const files = (count: number) => plural(count, 'file', 'files');

export const uploadsMessages = {
  title: 'Uploads',
  list: 'Upload queue',
  upload: 'Upload',
  files: 'Files',
  folder: 'Folder',
  prepare: 'Prepare variants',
  warned: (why: string) => `Uploaded with a warning: ${why}`,
  drop: (folder: string) => `Drop to upload to ${folder}`,
  tooLarge: (count: number, most: string) => `Skipped ${files(count)}: larger than ${most}.`,
  conflicts: (count: number) => `${files(count)} already ${count === 1 ? 'exists' : 'exist'}`,
  conflictsText: 'Replaced files are kept as versions.',
  keepBoth: 'Keep both',
  replace: 'Replace',
  skip: 'Skip',
  sending: (count: number) => `Uploading ${files(count)}`,
  over: (done: number, failed: number) =>
    failed > 0 ? `${files(failed)} failed` : done > 0 ? `Uploaded ${files(done)}` : 'No files uploaded',
  bytes: (sent: string, all: string) => `${sent} of ${all}`,
  pausedText: 'paused; files under 8 MB restart, larger files resume',
  left: (seconds: number) =>
    seconds < 60
      ? `${plural(seconds, 'second', 'seconds')} left`
      : `${plural(Math.ceil(seconds / 60), 'minute', 'minutes')} left`,
  pause: 'Pause uploads',
  resume: 'Resume uploads',
  cancelAll: 'Cancel uploads',
  retryAll: 'Retry',
  cancel: (name: string) => `Cancel ${name}`,
  retry: (name: string) => `Retry ${name}`,
  collapse: 'Collapse',
  expand: 'Expand',
  done: (count: number) => `${files(count)} uploaded`,
  state: {
    waiting: 'Waiting',
    sending: 'Uploading',
    done: 'Uploaded',
    skipped: 'Skipped',
    failed: 'Failed',
    cancelled: 'Cancelled',
  },
};
