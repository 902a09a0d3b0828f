import { plural } from './plural.ts';

export const trashMessages = {
  title: 'Trash',
  lead: 'Deleted items that can be restored',
  nothing: 'The trash is empty',
  nothingText: 'Deleted items appear here until they expire.',
  restore: 'Restore',
  restored: (path: string) => `Restored ${path}.`,
  deleted: (ago: string) => `Deleted ${ago}`,
  expires: (when: string) => `Expires ${when}`,
  more: 'Show more',
  remove: (path: string) => `Delete ${path} permanently`,
  removeTitle: (name: string) => `Delete ${name} permanently?`,
  removeText: 'This cannot be undone.',
  removeAction: 'Delete permanently',
  empty: 'Empty trash',
  emptyTitle: 'Empty the trash?',
  emptyText: 'All items are deleted permanently. This cannot be undone.',
  typed: 'empty',
  typeLabel: 'Type “empty” to confirm',
  emptied: (count: number) => `Permanently deleted ${plural(count, 'item', 'items')}.`,
};
