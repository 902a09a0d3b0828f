import { plural } from './plural.ts';

const files = (count: number) => plural(count, 'file', 'files');
const tags = (count: number) => plural(count, 'tag', 'tags');

/** Messages of the field for tags, the dialog for many files, and the page of tags. */
export const tagsMessages = {
  fieldHint: 'Enter or a comma adds a tag.',
  suggestions: 'Suggested tags',
  remove: (tag: string) => `Remove tag ${tag}`,
  added: (tag: string) => `Added ${tag}.`,
  removed: (tag: string) => `Removed ${tag}.`,
  dialog: {
    title: (items: string) => `Tags of ${items}`,
    add: 'Add tags',
    remove: 'Remove tags',
    action: 'Apply',
    nothing: 'Choose tags to add or to remove.',
  },
  title: 'Tags',
  lead: 'Tags of all files. Renaming, merging and deleting change every file that has the tag.',
  search: 'Search tags',
  sort: 'Sort',
  byCount: 'Most used',
  byName: 'By name',
  files,
  choose: (tag: string) => `Select ${tag}`,
  chosen: (count: number) => `${tags(count)} selected`,
  clear: 'Clear selection',
  more: 'Show more',
  actions: (tag: string) => `More for ${tag}`,
  nothing: 'No tags yet',
  nothingText: 'Add tags in the details of a file, or to selected files in the library.',
  notFound: (text: string) => `No tag contains “${text}”`,
  rename: 'Rename',
  renameTitle: (tag: string) => `Rename ${tag}`,
  name: 'Name',
  exists: (tag: string, count: number) =>
    `${tag} exists on ${files(count)}. Both become one tag, which cannot be undone.`,
  renamed: (tag: string, name: string) => `Renamed ${tag} to ${name}.`,
  merge: 'Merge',
  mergeInto: 'Merge into …',
  mergeTitle: (names: string) => `Merge ${names}`,
  mergeText: 'Files that have one of them get this tag instead. This cannot be undone.',
  target: 'Into the tag',
  targetNeeded: 'Choose one tag.',
  merged: (name: string, count: number) => `Merged into ${name}, on ${files(count)}.`,
  delete: 'Delete',
  deleteTitle: (count: number) => `Delete ${tags(count)}?`,
  /** @param isExact false if files may have several of the tags */
  deleteText: (names: string, count: number, isExact: boolean) =>
    `${names}: removed from ${isExact ? '' : 'up to '}${files(count)}. The files stay. This cannot be undone.`,
  deleted: (count: number) => `Deleted ${tags(count)}.`,
};
