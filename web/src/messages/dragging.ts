/** Messages of a drag; loaded with it. */
export const draggingMessages = {
  move: 'Move',
  copy: 'Copy',
  moveTo: (folder: string) => `Move to ${folder}`,
  copyTo: (folder: string) => `Copy to ${folder}`,
  refused: {
    here: 'Already in this folder',
    itself: 'A folder cannot move into itself',
    folders: 'Folders cannot be copied',
  },
};
