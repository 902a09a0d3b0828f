import { plural } from './plural.ts';

export const versionsMessages = {
  title: 'Versions',
  none: 'No versions yet. Replace the file to keep its current content as a version.',
  replaced: (ago: string) => `Until ${ago}`,
  actions: (when: string) => `Actions for the version until ${when}`,
  compare: 'Compare',
  compareOne: (when: string) => `Compare with the version until ${when}`,
  compareTitle: 'Compare versions',
  before: 'Previous',
  now: 'Current',
  divider: 'Comparison position',
  cannotShow: 'This browser cannot display the format. Download the version to view it.',
  download: 'Download',
  restore: 'Restore',
  restored: 'Version restored. The replaced content is now a version.',
  restoredEarlier: (name: string, count: number) =>
    count === 1
      ? `Restored the earlier ${name}. The uploaded file is now a version.`
      : `Restored ${count} earlier files. The uploaded ones are now versions.`,
  remove: 'Delete permanently',
  removeTitle: 'Delete this version permanently?',
  removeText: (when: string) => `The current file is unchanged. The version until ${when} cannot be restored.`,
  replaceTitle: (name: string) => `Replace ${name}?`,
  replaceText: (file: string, size: string) => `${file} (${size}) replaces the current content. All URLs stay valid.`,
  otherFormat: (name: string, format: string, chosen: string, received: string) =>
    `${chosen} is a ${received} file, and ${name} can only be replaced by a ${format} file. Save it as ${format}, or upload it under its own name.`,
  retained: (versions: number, days: number) =>
    `The current content becomes a version. At most ${plural(versions, 'version', 'versions')} per file, each for ${plural(days, 'day', 'days')}.`,
  notRetained: 'The current content is lost: VERSIONS_KEEP is 0.',
  choose: 'New file',
  cachedCopies: 'names that are used again',
};
