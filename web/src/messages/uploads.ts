import { plural } from './plural.ts';

const files = (count: number) => plural(count, 'file', 'files');

const andMore = (count: number) => (count > 0 ? ` and ${count} more` : '');

export const uploadsMessages = {
  title: 'Uploads',
  list: 'Upload queue',
  upload: 'Upload',
  more: 'Upload options',
  files: 'Upload files',
  folder: 'Upload folder',
  prepare: 'Prepare variants',
  warned: (why: string) => `Uploaded with a warning: ${why}`,
  storedAs: (name: string) => `It is stored as ${name}, because names cannot contain \\ # ? % or control characters.`,
  drop: (folder: string) => `Drop to upload to ${folder}`,
  leftOut: {
    empty: 'Left out: the file is empty.',
    tooLarge: (most: string, setting: string) => `Left out: larger than ${most} (${setting}).`,
    tooLargeForSpace: (most: string) => `Left out: larger than ${most}, the limit of this space.`,
    type: (extension: string) =>
      `Left out: ${extension === '' ? 'files without an extension' : `${extension} files`} are not accepted.`,
    extraType: (extension: string) =>
      `Left out: ${extension} files are not accepted. EXTRA_TYPES=${extension} accepts them.`,
  },
  conflicts: (count: number) => `${files(count)} already ${count === 1 ? 'exists' : 'exist'}`,
  conflictsText: 'Replaced files are kept as versions.',
  keepBoth: 'Keep both',
  replace: 'Replace',
  skip: 'Skip',
  sending: (count: number) => `Uploading ${files(count)}`,
  over: (done: number, failed: number, leftOut: number) => {
    const rest = leftOut > 0 ? `, ${leftOut} left out` : '';
    if (failed > 0) return `${files(failed)} failed${rest}`;
    if (done > 0) return `Uploaded ${files(done)}${rest}`;
    return leftOut > 0 ? `${files(leftOut)} left out` : 'No files uploaded';
  },
  /** What screen readers announce. */
  news: {
    done: (names: readonly string[], count: number) => `Uploaded ${names.join(', ')}${andMore(count - names.length)}.`,
    failed: (names: readonly string[], reasons: readonly string[], count: number) =>
      `Not uploaded: ${names.map((name, at) => `${name} (${reasons[at]})`).join(', ')}${andMore(count - names.length)}.`,
  },
  interrupted: (count: number) => `${plural(count, 'upload was', 'uploads were')} interrupted`,
  chooseAgain: (count: number, percent: number) =>
    `Choose the ${count === 1 ? 'file' : 'files'} again to ${percent > 0 ? `go on from ${percent} %` : 'upload'}.`,
  chooseFiles: 'Choose files',
  discard: 'Discard',
  notInterrupted: (name: string) => `${name} is not one of the interrupted files.`,
  arrived: (percent: number) => `${percent} %`,
  dismiss: (name: string) => `Remove ${name} from the list`,
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
    skipped: 'Left out',
    failed: 'Failed',
    cancelled: 'Cancelled',
  },
};
