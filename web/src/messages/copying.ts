/** Messages of the menu that copies code; loaded with it. */
export const copyingMessages = {
  copyAs: 'Copy as',
};
