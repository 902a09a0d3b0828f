import { folderOf, withAncestors } from '../../api/paths.ts';
import type { Target } from '../../api/targets/targets.ts';

/** Reason why a folder does not take the items: they are there, it is one of them, or folders cannot be copied. */
export type Refusal = 'here' | 'itself' | 'folders';

/**
 * Compares dragged items with the folder below the pointer. The service judges again.
 * @param has true if an item belongs to the target
 */
export function refusalOf(
  target: Target,
  folder: string,
  isCopy: boolean,
  has: (path: string) => boolean,
): Refusal | undefined {
  const items = 'items' in target ? target.items : [];
  const isListed = !('scope' in target);
  if (isCopy) {
    if (isListed) return items.every(({ kind }) => kind === 'folder') ? 'folders' : undefined;
    return isHome(target, folder) ? 'here' : undefined;
  }
  if (withAncestors(folder).some(has)) return 'itself';
  return isHome(target, folder) ? 'here' : undefined;
}

/** True if all items are in that folder. Search results can be anywhere. */
function isHome(target: Target, folder: string): boolean {
  if (!('scope' in target)) return target.items.every(({ path }) => folderOf(path) === folder);
  return target.scope.search === undefined && target.scope.folder === folder;
}
