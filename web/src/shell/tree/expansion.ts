import { folderOf, withAncestors } from '../../api/paths.ts';

const KEY = 'darkroom-tree';
/** Number of remembered folders. */
const MAX_FOLDERS = 100;

type Store = Pick<Storage, 'getItem' | 'setItem'>;

/** Expanded folders of this browser; the root at first. @param root path of the endpoints: each space has its own */
export function readExpanded(root: string, store: Store = localStorage): ReadonlySet<string> {
  try {
    const all: unknown = JSON.parse(store.getItem(`${KEY} ${root}`) ?? '[""]');
    return new Set(Array.isArray(all) ? all.filter((path) => typeof path === 'string') : ['']);
  } catch {
    return new Set(['']);
  }
}

/** The folders that were expanded last are remembered. */
export function rememberExpanded(root: string, expanded: ReadonlySet<string>, store: Store = localStorage): void {
  try {
    store.setItem(`${KEY} ${root}`, JSON.stringify([...expanded].slice(-MAX_FOLDERS)));
  } catch {
    // Without storage they last as long as the page.
  }
}

/** Expands the folders above one, unless the whole tree is collapsed. */
export function reveal(expanded: ReadonlySet<string>, folder: string): ReadonlySet<string> {
  const above = withAncestors(folderOf(folder));
  const isShown = above.every((path) => expanded.has(path));
  return isShown || !expanded.has('') ? expanded : new Set([...expanded, ...above]);
}

export function toggled(expanded: ReadonlySet<string>, folder: string): ReadonlySet<string> {
  const next = new Set(expanded);
  if (!next.delete(folder)) next.add(folder);
  return next;
}
