import type { Item, Target } from '../api/batch.ts';
import type { Kind } from '../api/files.ts';
import type { Entry } from './entry.ts';

/** What is chosen: single items, or everything but for single items. It never holds the names of a whole folder. */
export interface Selection {
  isAll: boolean;
  /** What is chosen; with `isAll`, what is not. */
  items: ReadonlyMap<string, Item['kind']>;
}

export const NOTHING: Selection = { isAll: false, items: new Map() };
export const EVERYTHING: Selection = { isAll: true, items: new Map() };

const kindOf = ({ kind }: Entry): Item['kind'] => (kind === 'folder' ? 'folder' : 'file');

export const isChosen = ({ isAll, items }: Selection, path: string): boolean => items.has(path) !== isAll;

/** How many are chosen of a total. */
export const countOf = ({ isAll, items }: Selection, total: number): number =>
  isAll ? Math.max(0, total - items.size) : items.size;

/** Chooses an item, or lets go of it. */
export function toggle(selection: Selection, entry: Entry): Selection {
  const items = new Map(selection.items);
  if (!items.delete(entry.path)) items.set(entry.path, kindOf(entry));
  return { ...selection, items };
}

/** Chooses more; what is chosen stays. */
export function choose(selection: Selection, entries: readonly Entry[]): Selection {
  const items = new Map(selection.items);
  for (const entry of entries) {
    if (selection.isAll) items.delete(entry.path);
    else items.set(entry.path, kindOf(entry));
  }
  return { ...selection, items };
}

/** What an act is about. @param scope what "everything" means */
export function targetOf(
  selection: Selection,
  scope: { folder: string; kind?: Kind | undefined; total: number },
): Target {
  const { isAll, items } = selection;
  if (!isAll) return { items: Array.from(items, ([path, kind]) => ({ path, kind })) };
  return { folder: scope.folder, kind: scope.kind, except: [...items.keys()], count: countOf(selection, scope.total) };
}

/** How many items a target has. */
export const sizeOf = (target: Target): number => ('items' in target ? target.items.length : target.count);
