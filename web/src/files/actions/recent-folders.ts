const KEY = 'darkroom-recent-folders';
/** Number of remembered folders, most recent first. */
const MOST = 5;

type Store = Pick<Storage, 'getItem' | 'setItem'>;

const keyOf = (root: string) => `${KEY} ${root}`;

/**
 * Folders that items were moved or copied to, most recent first.
 * @param root root path of the endpoints: spaces have folders of the same names
 */
export function recentFolders(root: string, store: Store = localStorage): readonly string[] {
  try {
    const all: unknown = JSON.parse(store.getItem(keyOf(root)) ?? '[]');
    return Array.isArray(all) ? all.filter((one) => typeof one === 'string').slice(0, MOST) : [];
  } catch {
    return [];
  }
}

/** Remembers a destination. */
export function rememberFolder(root: string, folder: string, store: Store = localStorage): void {
  const others = recentFolders(root, store).filter((one) => one !== folder);
  try {
    store.setItem(keyOf(root), JSON.stringify([folder, ...others].slice(0, MOST)));
  } catch {
    // Without storage none is remembered.
  }
}
