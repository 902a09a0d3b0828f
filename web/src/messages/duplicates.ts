import { plural } from './plural.ts';

const files = (count: number) => plural(count, 'file', 'files');

/** What the page of the duplicates says. */
export const duplicatesMessages = {
  title: 'Duplicates',
  lead: 'Keep the best of each group. The others go to the trash.',
  kinds: 'Which duplicates are shown',
  kind: { exact: 'The same bytes', similar: 'Looks the same' },
  none: { exact: 'No file is there twice', similar: 'No two pictures look the same' },
  noneText: 'Files are compared soon after they have arrived.',
  group: (count: number, name: string) => `${files(count)} like ${name}`,
  count: (count: number) => files(count),
  wasted: (size: string) => `${size} extra`,
  more: 'Show more groups',
  onlyFirst: (count: number) => `The first ${count} of this group are shown.`,
  keep: 'Keep',
  keepOne: (path: string) => `Keep ${path}`,
  remove: (count: number) => `Move ${plural(count, 'other', 'others')} to trash`,
  nothing: 'Nothing to remove',
  removeAll: 'Tidy up all shown',
  removeAllTitle: (count: number) => `Move ${files(count)} to the trash?`,
  removeAllText: (groups: number) =>
    `Of ${plural(groups, 'group', 'groups')} only what is marked to be kept stays where it is. The addresses of the others stop working; you can bring them back until the trash is emptied.`,
  removeAllAction: 'Move to trash',
  removed: (count: number) => `Moved ${files(count)} to the trash.`,
  failed: (count: number, why: string) => `${files(count)} could not be moved: ${why}`,
  undo: 'Undo',
  restored: (count: number) => `Restored ${files(count)}.`,
  open: (path: string) => `Open ${path}`,
  root: 'Library',
};
