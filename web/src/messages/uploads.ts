import { plural } from './plural.ts';

const files = (count: number) => plural(count, 'file', 'files');

/** With its article: `a JPEG`, `an MP4`. */
const a = (format: string) => `${/^(?:[AEIO]|MP|SVG)/.test(format) ? 'an' : 'a'} ${format}`;

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
  overruled: (path: string, target: string) => `${path} was a redirect to ${target}. Its URL shows the new file now.`,
  overruledMany: (count: number) =>
    `${plural(count, 'uploaded file has', 'uploaded files have')} the path of a redirect. Their old URLs show the new files now.`,
  redirectsAgain: (path: string, target: string) => `The URL of ${path} leads to ${target} again.`,
  redirectsAgainMany: (count: number) =>
    `The URLs of ${plural(count, 'redirect', 'redirects')} lead to their targets again.`,
  replaced: (what: string) => `Replaced ${what}.`,
  notCached: 'Visitors see the new file at once.',
  /** @param time undefined if it is not known */
  cachedUntil: (time: string | undefined) =>
    `Browsers and CDNs that have the old file may show it ${time === undefined ? 'as long as' : `until ${time}, because`} CACHE_CONTROL lets them keep it. Everyone else sees the new file at once.`,
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
  /** A name that does not fit the content. Formats are `PNG image`, names of formats `JPEG`. */
  mismatch: {
    kinds: { image: 'image', video: 'video', audio: 'audio file', model: 'model' },
    rename: (name: string, format: string, named: string, better: string) =>
      `${name} is ${a(format)} with the name of ${a(named)}. Rename it to ${better} and upload it again.`,
    other: (name: string, format: string, named: string) =>
      `${name} is ${a(format)} with the name of ${a(named)}, and is not accepted. Save it as ${a(named)} and upload it again.`,
    unknown: (name: string, format: string) =>
      `${name} is not ${a(format)}, although its name says so. It may be damaged: open it on your device, save it again and upload it.`,
  },
  skippedExisting: (names: readonly string[]) => {
    const more = andMore(names.length - 3);
    const named = names.slice(0, 3);
    const listed =
      more === '' && named.length > 1 ? `${named.slice(0, -1).join(', ')} and ${named.at(-1)}` : named.join(', ');
    return `Skipped ${listed}${more}, which ${names.length === 1 ? 'is' : 'are'} there already.`;
  },
  sending: (count: number) => `Uploading ${files(count)}`,
  /** Nothing for one file: its bytes say it. */
  arrivedOf: (arrived: number, all: number) => (all > 1 ? `${arrived} of ${all} files · ` : ''),
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
  andMore: (count: number) => `and ${count} more`,
  /** @param all number of listed files: the others may have left the list */
  undecodable: (count: number, all: number, reason: string | undefined) => {
    const several = count === all ? `${count} uploaded files` : `${count} of the ${all} uploaded files`;
    return `${all === 1 ? 'The uploaded file' : several} cannot be shown${reason === undefined ? '.' : `: ${reason}`}`;
  },
  undecodableReason: (reason: string) => `Cannot be shown: ${reason}`,
  reason: (name: string, reason: string) => `${name}: ${reason}`,
  copyReasons: 'Copy the reasons',
  restore: 'Restore the earlier file',
  restoreOf: (name: string) => `Restore the earlier file: ${name}`,
  rename: 'Rename and upload',
  renameTo: (name: string) => `Rename and upload as ${name}`,
  state: {
    waiting: 'Waiting',
    sending: 'Uploading',
    done: 'Uploaded',
    skipped: 'Left out',
    failed: 'Failed',
    cancelled: 'Cancelled',
  },
};
