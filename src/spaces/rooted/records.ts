import type { FileEvent } from '../../catalog/file-events.ts';
import type { AssetRecord, Intent } from '../../catalog/records.ts';
import type { TrashItem } from '../../catalog/retained-rows.ts';
import type { StoragePath } from '../../path.ts';
import { isReserved, type Root } from './root.ts';

export const toInnerAsset = (asset: AssetRecord, { toInner }: Root): AssetRecord => ({
  ...asset,
  path: toInner(asset.path),
  folder: toInner(asset.folder),
});

/** True for an item from inside the space. The folder of the space itself is no item of its trash. */
export const isOwnItem = ({ path }: TrashItem, { contains, folder }: Root) => contains(path) && path !== folder;

export const toInnerItem = (item: TrashItem, { toInner }: Root): TrashItem => ({ ...item, path: toInner(item.path) });

export const toOuterItem = (item: TrashItem, { toOuter }: Root): TrashItem => ({ ...item, path: toOuter(item.path) });

/** Outer path of an inner one; hidden paths and names of locks are the same in the library and in all spaces. */
export const toOuterOrHidden = (path: StoragePath, { toOuter }: Root) => (isReserved(path) ? path : toOuter(path));

/** True for a change of the space alone. */
export const isOwnIntent = ({ from, to }: Intent, { contains }: Root) => {
  const paths = [from, to ?? from].filter((path) => !isReserved(path));
  return paths.length > 0 && paths.every(contains);
};

export const toInnerIntent = (intent: Intent, { toInner }: Root): Intent => {
  const translate = (path: StoragePath) => (isReserved(path) ? path : toInner(path));
  return { ...intent, from: translate(intent.from), to: intent.to === null ? null : translate(intent.to) };
};

export const toOuterIntent = <Change extends Pick<Intent, 'from' | 'to'>>(intent: Change, root: Root): Change => ({
  ...intent,
  from: toOuterOrHidden(intent.from, root),
  to: intent.to === null ? null : toOuterOrHidden(intent.to, root),
});

export const toOuterEvent = (event: FileEvent, { toOuter }: Root): FileEvent => ({
  ...event,
  path: toOuter(event.path),
  ...(event.from !== undefined && { from: toOuter(event.from) }),
});
