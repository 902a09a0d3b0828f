import { plural } from './plural.ts';

const items = (count: number) => plural(count, 'item', 'items');

/** Texts of the dialogs of files and folders, which load them. */
export const actionsMessages = {
  deleteTitle: (count: number) => `Delete ${items(count)} permanently?`,
  deleteText: 'The files, their versions and their cached variants are deleted. This cannot be undone.',
  deleteAction: 'Delete permanently',
  typeCount: (count: number) => `Type ${count} to confirm`,
  rename: {
    title: 'Rename',
    urlOfFile: 'The URL changes with the name.',
    urlsOfFolder: 'The URLs of everything in the folder change with its name.',
    keepUrl: 'Keep the old URL working',
    keepUrls: 'Keep the old URLs working',
    keepHint: 'A redirect delivers the file at its old URL too.',
    keepHintOfMany: 'Redirects deliver the files at their old URLs too.',
    extensionTitle: 'Change the extension?',
    extensionText: (from: string, to: string) =>
      `Only the name changes from ${from || 'no extension'} to ${to || 'no extension'}: the content stays as it is, and a file whose name does not match its content may not be displayed.`,
    keepExtension: (extension: string) => (extension === '' ? 'Keep no extension' : `Keep ${extension}`),
    useExtension: (extension: string) => (extension === '' ? 'Use no extension' : `Use ${extension}`),
    becomes: (name: string) => `The file is named ${name}.`,
    renamedWithRedirect: (name: string) => `Renamed to ${name}. The old URL keeps working.`,
    renamedToOtherKind: (name: string) =>
      `Renamed to ${name}. The old URL has ended: no redirect leads to a file of another kind.`,
    back: 'Back',
  },
  missingFolder: {
    title: (name: string) => `There is no folder “${name}”`,
    text: 'It was moved, renamed or deleted, or the address is wrong.',
    link: (name: string) => `Go to ${name}`,
  },
  folders: {
    search: 'Search folders',
    clear: 'Clear search',
    recent: 'Recent',
    none: (text: string) => `No folder matches “${text}”.`,
    isHere: (count: number) =>
      count === 1 ? 'The item is already in this folder.' : 'The items are already in this folder.',
    isItself: (name: string) => `“${name}” cannot be moved into itself.`,
  },
};
