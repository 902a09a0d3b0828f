import { folderOf, nameOf, withAncestors } from '../../api/paths.ts';
import type { Target } from '../../api/targets/targets.ts';
import { actionsMessages } from '../../messages/actions.ts';
import { sizeOf } from '../selection.ts';

/** Reason why a target cannot be moved to a folder; undefined if the service decides. */
export function refusedMove(target: Target, destination: string): string | undefined {
  const { isHere, isItself } = actionsMessages.folders;
  const folder = withAncestors(destination).find((path) => isMoved(target, path));
  if (folder !== undefined) return isItself(nameOf(folder));
  return isHome(target, destination) ? isHere(sizeOf(target)) : undefined;
}

/** True for a folder of the target. */
function isMoved(target: Target, path: string): boolean {
  if (!('scope' in target)) return target.items.some((item) => item.kind === 'folder' && item.path === path);
  const { scope, except } = target;
  if ('ranges' in target || scope.search !== undefined || scope.order.kind !== undefined) return false;
  // All folders of the listing are moved.
  return folderOf(path) === scope.folder && !except.includes(path);
}

/** True if all items are in that folder. Search results can be anywhere. */
export function isHome(target: Target, folder: string): boolean {
  if (!('scope' in target)) return target.items.every(({ path }) => folderOf(path) === folder);
  return target.scope.search === undefined && target.scope.folder === folder;
}

/** The target without the items that are in the folder already. */
export function withoutThoseIn(target: Target, destination: string): Target {
  if ('scope' in target) return target;
  return { items: target.items.filter(({ path }) => folderOf(path) !== destination) };
}
