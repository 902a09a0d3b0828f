import { isWithin } from '../api/paths.ts';
import { covers, lengthOf, type Range, union } from '../api/targets/ranges.ts';
import type { Item, Scope, Target } from '../api/targets/targets.ts';
import type { Entry } from './entry.ts';
import type { Files } from './use-listing.ts';

/** Index of an item when it was selected, and its kind. */
interface ItemPosition {
  kind: Item['kind'];
  index: number;
}

/** Selection as a rule with single items. It never holds the names of a whole folder. */
export interface Selection {
  /** Everything in the listing. */
  isAll: boolean;
  /** Selected indices, including items that have not arrived. */
  ranges: readonly Range[];
  /** Single items. */
  items: ReadonlyMap<string, ItemPosition>;
  /** Exceptions from the rule. */
  except: ReadonlyMap<string, ItemPosition>;
  /** True if nobody has selected the items one by one: they have been uploaded, or one of them was opened. */
  isGiven: boolean;
}

const none = new Map<string, ItemPosition>();
export const NOTHING: Selection = { isAll: false, ranges: [], items: none, except: none, isGiven: false };
export const EVERYTHING: Selection = { ...NOTHING, isAll: true };

/** Arrived part of a listing. */
type Arrived = Pick<Files, 'get'>;

/** Larger ranges, and items that have not arrived, are selected by index. */
const MAX_NAMED = 200;

const itemKind = ({ kind }: Entry): Item['kind'] => (kind === 'folder' ? 'folder' : 'file');

export const targetOfEntry = (entry: Entry): Target => ({ items: [{ path: entry.path, kind: itemKind(entry) }] });

const isRuled = ({ isAll, ranges }: Selection, index: number) => isAll || covers(ranges, index);

export const isChosen = (selection: Selection, path: string, index: number): boolean =>
  !selection.except.has(path) && (selection.items.has(path) || isRuled(selection, index));

/** Number of selected items. */
export const countOf = ({ isAll, ranges, items, except }: Selection, total: number): number =>
  Math.max(0, (isAll ? total : lengthOf(ranges) + items.size) - except.size);

/** Selection of items that nobody has selected one by one. */
export const given = (items: Selection['items']): Selection => ({ ...NOTHING, items, isGiven: true });

/** Leaves nothing but one item of a selection; an empty one stays empty. */
export function only(selection: Selection, entry: Entry, index: number, total: number): Selection {
  if (countOf(selection, total) === 0) return selection;
  return given(new Map([[entry.path, { kind: itemKind(entry), index }]]));
}

/** Adds or removes an item. */
export function toggle(selection: Selection, entry: Entry, index: number): Selection {
  const items = new Map(selection.items);
  const except = new Map(selection.except);
  const position = { kind: itemKind(entry), index };
  if (isChosen(selection, entry.path, index)) {
    items.delete(entry.path);
    if (isRuled(selection, index)) except.set(entry.path, position);
  } else if (!except.delete(entry.path)) items.set(entry.path, position);
  return { ...selection, items, except, isGiven: false };
}

/** Adds index ranges to the selection. */
export function chooseRanges(selection: Selection, added: readonly Range[], { get }: Arrived): Selection {
  const isApart = ([, { index }]: [string, ItemPosition]) => !covers(added, index);
  const items = new Map([...selection.items].filter(isApart));
  const except = new Map([...selection.except].filter(isApart));
  if (selection.isAll) return { ...selection, except, isGiven: false };
  const named = lengthOf(added) <= MAX_NAMED ? namesIn(added, get) : undefined;
  if (named === undefined)
    return { ...selection, ranges: union(selection.ranges, added), items, except, isGiven: false };
  const more = [...named].filter(([, { index }]) => !covers(selection.ranges, index));
  return { ...selection, items: new Map([...items, ...more]), except, isGiven: false };
}

/** Items in ranges by name; undefined if one has not arrived. */
function namesIn(ranges: readonly Range[], get: (index: number) => Entry | undefined) {
  const named = new Map<string, ItemPosition>();
  for (const [first, last] of ranges) {
    for (let index = first; index <= last; index++) {
      const entry = get(index);
      if (entry === undefined) return undefined;
      named.set(entry.path, { kind: itemKind(entry), index });
    }
  }
  return named;
}

/**
 * Target of an action.
 * @param scope of the rule
 * @param last path of the last item in the ranges
 */
export function targetOf(selection: Selection, scope: Scope, total: number, last?: string): Target {
  const { isAll, ranges, items, except } = selection;
  const count = countOf(selection, total);
  const single = Array.from(items, ([path, { kind }]) => ({ path, kind }));
  if (isAll) return { scope, except: [...except.keys()], count };
  if (ranges.length === 0) return { items: single };
  return { scope, ranges, last, items: single, except: [...except.keys()], count };
}

/** True if a target may contain a file, or a folder above it. */
export function mayContain(target: Target, path: string): boolean {
  if ('scope' in target) return !target.except.includes(path);
  return target.items.some((item) => isWithin(path, item.path));
}

/** Number of items in a target. */
export const sizeOf = (target: Target): number => ('scope' in target ? target.count : target.items.length);
