export const paletteMessages = {
  title: 'Search or run a command',
  field: 'Search pages, folders, files and actions',
  pages: 'Pages',
  actions: 'On this page',
  spaces: 'Spaces',
  folders: 'Folders',
  files: 'Files',
  themes: 'Theme',
  found: 'Results',
  nothing: 'No results',
  count: (count: number) => `${count} ${count === 1 ? 'result' : 'results'}`,
};
