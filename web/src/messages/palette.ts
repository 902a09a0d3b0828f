/** What the palette says. */
export const paletteMessages = {
  title: 'Go to, or do',
  field: 'Search pages, folders, files and actions',
  pages: 'Pages',
  actions: 'On this page',
  folders: 'Folders',
  files: 'Files',
  themes: 'Look',
  found: 'Results',
  nothing: 'Nothing found',
  count: (count: number) => `${count} ${count === 1 ? 'result' : 'results'}`,
};
