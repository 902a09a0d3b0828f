/** Messages of the form for metadata, loaded with the details panel. */
export const metadataMessages = {
  saving: 'Saving …',
  undone: 'Undone.',
  undo: 'Undo',
  redo: 'Redo',
  savedOf: (name: string) => `Saved the metadata of ${name}.`,
  notSaved: 'Not saved. Your text is kept here until it is.',
  notSavedOf: (name: string) => `The metadata of ${name} could not be saved. Your text is kept.`,
  conflict: 'Somebody else changed the same text. Choose which one stays.',
  conflictOf: (name: string) => `Somebody else changed the same text of ${name}. Choose which one stays.`,
  show: 'Show',
  theirs: 'Theirs',
  nothing: 'no text',
  keepMine: (field: string) => `Keep my ${field}`,
  takeTheirs: (field: string) => `Use their ${field}`,
  unsavedTexts: 'Not saved',
  discard: 'Discard',
};
