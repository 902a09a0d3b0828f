import { plural } from './plural.ts';

/** What the page of the trash says. */
export const trashMessages = {
  title: 'Trash',
  lead: 'What was deleted, and can still be brought back.',
  nothing: 'The trash is empty',
  nothingText: 'What you delete comes here first, and is removed for good after some weeks.',
  restore: 'Restore',
  restored: (path: string) => `Restored ${path}.`,
  deleted: (ago: string) => `Deleted ${ago}`,
  expires: (when: string) => `Removed ${when}`,
  more: 'Show more',
  remove: (path: string) => `Delete ${path} for good`,
  removeTitle: (name: string) => `Delete ${name} for good?`,
  removeText: 'Nobody can bring it back.',
  removeAction: 'Delete for good',
  empty: 'Empty trash',
  emptyTitle: 'Empty the trash?',
  emptyText: 'Everything in it is deleted for good, and nobody can bring it back.',
  typed: 'empty',
  typeLabel: 'Type “empty” to go on',
  emptied: (count: number) => `Deleted ${plural(count, 'item', 'items')} for good.`,
};
