/** So many transformations may come with an upload. */
export const MOST = 20;

const KEY = 'darkroom-prewarm';
/** Those that were chosen last are remembered. */
const MAX_FOLDERS = 200;

type Store = Pick<Storage, 'getItem' | 'setItem'>;

/** What is made of every file as soon as it arrives in a folder. */
export function prewarmingOf(folder: string, store: Store = localStorage): readonly string[] {
  return readAll(store).find(([path]) => path === folder)?.[1] ?? [];
}

/** Remembers it for a folder; nothing forgets the folder. */
export function rememberPrewarming(folder: string, chosen: readonly string[], store: Store = localStorage): void {
  const others = readAll(store).filter(([path]) => path !== folder);
  const all = chosen.length === 0 ? others : [[folder, chosen], ...others];
  try {
    store.setItem(KEY, JSON.stringify(all.slice(0, MAX_FOLDERS)));
  } catch {
    // A browser that keeps nothing forgets it with the page.
  }
}

function readAll(store: Store): [folder: string, chosen: string[]][] {
  try {
    const all: unknown = JSON.parse(store.getItem(KEY) ?? '[]');
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

/** Transformations as they were typed, one a line; each once. */
export function transformationsIn(text: string): string[] {
  const lines = text.split('\n').map((line) => line.replace(/\s/g, ''));
  return [...new Set(lines.filter((line) => line !== ''))];
}

/** The transformations that have a part whose key nobody knows. @param keys with their aliases */
export function unknownOf(transformations: readonly string[], keys: ReadonlySet<string>): string[] {
  const isKnown = (part: string) => part.includes('_') && keys.has(part.slice(0, part.indexOf('_')));
  return transformations.filter((one) => !one.split(',').every(isKnown));
}
