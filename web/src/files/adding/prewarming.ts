/** Maximum number of transformations per upload. */
export const MOST = 20;

const KEY = 'darkroom-prewarm';
/** Number of remembered folders, most recent first. */
const MAX_FOLDERS = 200;

/** The choices of the library were stored before there were spaces. */
const keyOf = (root: string) => (root === '/' ? KEY : `${KEY} ${root}`);

type Store = Pick<Storage, 'getItem' | 'setItem'>;

/**
 * Transformations to prepare on upload to a folder.
 * @param root root path of the endpoints: spaces have folders of the same names
 */
export function prewarmingOf(root: string, folder: string, store: Store = localStorage): readonly string[] {
  return readAll(root, store).find(([path]) => path === folder)?.[1] ?? [];
}

/** Remembers the transformations of a folder; an empty list removes it. */
export function rememberPrewarming(
  root: string,
  folder: string,
  chosen: readonly string[],
  store: Store = localStorage,
): void {
  const others = readAll(root, store).filter(([path]) => path !== folder);
  const all = chosen.length === 0 ? others : [[folder, chosen], ...others];
  try {
    store.setItem(keyOf(root), JSON.stringify(all.slice(0, MAX_FOLDERS)));
  } catch {
    // Without storage they last as long as the page.
  }
}

function readAll(root: string, store: Store): [folder: string, chosen: string[]][] {
  try {
    const all: unknown = JSON.parse(store.getItem(keyOf(root)) ?? '[]');
    return Array.isArray(all) ? all.filter(isEntry) : [];
  } catch {
    return [];
  }
}

const isEntry = (entry: unknown): entry is [string, string[]] =>
  Array.isArray(entry) &&
  typeof entry[0] === 'string' &&
  Array.isArray(entry[1]) &&
  entry[1].every((one) => typeof one === 'string');

/** Transformations of a text, one per line, without duplicates. */
export function transformationsIn(text: string): string[] {
  const lines = text.split('\n').map((line) => line.replace(/\s/g, ''));
  return [...new Set(lines.filter((line) => line !== ''))];
}

/** Transformations with an unknown key. @param keys including aliases */
export function unknownOf(transformations: readonly string[], keys: ReadonlySet<string>): string[] {
  const isKnown = (part: string) => part.includes('_') && keys.has(part.slice(0, part.indexOf('_')));
  return transformations.filter((one) => !one.split(',').every(isKnown));
}
