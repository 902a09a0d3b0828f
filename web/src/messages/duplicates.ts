import { plural } from './plural.ts';

const files = (count: number) => plural(count, 'file', 'files');

export const duplicatesMessages = {
  title: 'Duplicates',
  lead: 'Select the files to keep in each group. The others move to the trash.',
  kinds: 'Type of duplicates',
  kind: { exact: 'Identical files', similar: 'Similar images' },
  none: { exact: 'No identical files', similar: 'No similar images' },
  noneText: 'Files are compared shortly after upload.',
  group: (count: number, name: string) => `${files(count)} like ${name}`,
  count: (count: number) => files(count),
  wasted: (size: string) => `${size} reclaimable`,
  more: 'Show more groups',
  onlyFirst: (count: number) => `Showing the first ${count} files of this group.`,
  keep: 'Keep',
  keepOne: (path: string) => `Keep ${path}`,
  remove: (count: number) => `Move ${plural(count, 'other', 'others')} to trash`,
  nothing: 'Nothing to remove',
  removeAll: 'Clean up all shown groups',
  removeAllTitle: (count: number) => `Move ${files(count)} to the trash?`,
  removeAllText: (groups: number) =>
    `Only the files selected in ${plural(groups, 'group', 'groups')} stay. URLs of the others stop working; you can restore files until the trash is emptied.`,
  removeAllAction: 'Move to trash',
  removed: (count: number) => `Moved ${files(count)} to the trash.`,
  failed: (count: number, why: string) => `Failed to move ${files(count)}: ${why}`,
  undo: 'Undo',
  restored: (count: number) => `Restored ${files(count)}.`,
  open: (path: string) => `Open ${path}`,
};
