import { folderOf, isWithin, join, nameOf } from '../../api/paths.ts';
import type { Target } from '../../api/targets/targets.ts';
import { actionsMessages } from '../../messages/actions.ts';
import { sizeOf } from '../selection.ts';

/** Reason why a target cannot be moved to a folder; undefined if the service decides. */
export function refusedMove(target: Target, destination: string): string | undefined {
  const { isHere, isItself } = actionsMessages.folders;
  if (!('scope' in target)) {
    const folder = target.items.find(({ kind, path }) => kind === 'folder' && isWithin(destination, path));
    if (folder) return isItself(nameOf(folder.path));
    return target.items.every(({ path }) => folderOf(path) === destination) ? isHere(sizeOf(target)) : undefined;
  }
  const { scope, except } = target;
  if (scope.search !== undefined) return undefined;
  if (scope.folder === destination) return isHere(sizeOf(target));
  if ('ranges' in target || scope.order.kind !== undefined) return undefined;
  // All folders of the listing are moved.
  const below = scope.folder === '' ? destination : destination.slice(scope.folder.length + 1);
  const [name = ''] = below.split('/');
  const child = join(scope.folder, name);
  return isWithin(destination, child) && !except.includes(child) ? isItself(name) : undefined;
}

/** The target without the items that are in the folder already. */
export function withoutThoseIn(target: Target, destination: string): Target {
  if ('scope' in target) return target;
  return { items: target.items.filter(({ path }) => folderOf(path) !== destination) };
}
