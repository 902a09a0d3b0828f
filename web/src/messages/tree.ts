/** Messages of the tree of folders. */
export const treeMessages = {
  label: 'Folders',
  rest: 'More folders …',
};
