/** The installation with its library, where rows and records have the id of a space. */
export const INSTALLATION = '';
