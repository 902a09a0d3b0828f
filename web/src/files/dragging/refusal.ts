import { withAncestors } from '../../api/paths.ts';
import type { Target } from '../../api/targets/targets.ts';
import { isHome } from '../actions/moving.ts';

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
