import { plural } from './plural.ts';

/** What is said of the versions of a file. */
export const versionsMessages = {
  title: 'Versions',
  none: 'When this file is replaced, what it was before is kept here.',
  replaced: (ago: string) => `Until ${ago}`,
  actions: (when: string) => `What to do with the version until ${when}`,
  compare: 'Compare',
  compareOne: (when: string) => `Compare with the version until ${when}`,
  compareTitle: 'Before and now',
  before: 'Before',
  now: 'Now',
  divider: 'How much of the version before is shown',
  cannotShow: 'This browser cannot show the format. Download the version to see it.',
  download: 'Download',
  restore: 'Restore',
  restored: 'Restored. What was there until now is a version.',
  remove: 'Delete for good',
  removeTitle: 'Delete this version for good?',
  removeText: (when: string) =>
    `The file stays as it is. What it was until ${when} is gone, and nobody can bring it back.`,
  replace: 'Replace',
  replaceTitle: (name: string) => `Replace ${name}?`,
  replaceText: (file: string, size: string) =>
    `${file} (${size}) takes its place: every address stays, and shows the new one at once.`,
  retained: (versions: number, days: number) =>
    `What is there now becomes a version. ${plural(versions, 'version', 'versions')} of a file are kept, for ${plural(days, 'day', 'days')}.`,
  notRetained: 'What is there now is lost: VERSIONS_KEEP is 0.',
  choose: 'The new file',
};
