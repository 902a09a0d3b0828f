/** Id of the library in the list of spaces. */
export const LIBRARY = 'default';

const PREFIX = /^\/b\/([a-z0-9][a-z0-9-]{1,39})(?=\/|$)/;

/**
 * Returns the id of the space that a path of the dashboard names.
 * @param path below the dashboard, with a leading slash
 */
export function spaceOfPath(path: string): string | undefined {
  return PREFIX.exec(path)?.[1];
}
