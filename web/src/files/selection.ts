import { covers, lengthOf, type Range, union } from '../api/targets/ranges.ts';
import type { Item, Scope, Target } from '../api/targets/targets.ts';
import type { Entry } from './entry.ts';
import type { Files } from './use-listing.ts';

/** Where an item was when it was chosen, and what it is. */
interface ItemPosition {
  kind: Item['kind'];
  index: number;
}

/** What is chosen: a rule, and single items beside it. It never holds the names of a whole folder. */
export interface Selection {
  /** Everything, whatever its number. */
  isAll: boolean;
  /** Places of the listing: what lies there is chosen, whether it has arrived or not. */
  ranges: readonly Range[];
  /** What else is chosen. */
  items: ReadonlyMap<string, ItemPosition>;
  /** What the rule takes in, and is not chosen. */
  except: ReadonlyMap<string, ItemPosition>;
}

const none = new Map<string, ItemPosition>();
export const NOTHING: Selection = { isAll: false, ranges: [], items: none, except: none };
export const EVERYTHING: Selection = { ...NOTHING, isAll: true };

/** What has arrived of a listing. */
type Arrived = Pick<Files, 'get' | 'hasPositions'>;

/** More of them, or what has not arrived, are chosen by their places. */
const MAX_NAMED = 200;

const itemKind = ({ kind }: Entry): Item['kind'] => (kind === 'folder' ? 'folder' : 'file');

/** A single item as the target of an act. */
export const targetOfEntry = (entry: Entry): Target => ({ items: [{ path: entry.path, kind: itemKind(entry) }] });

const isRuled = ({ isAll, ranges }: Selection, index: number) => isAll || covers(ranges, index);

export const isChosen = (selection: Selection, path: string, index: number): boolean =>
  !selection.except.has(path) && (selection.items.has(path) || isRuled(selection, index));

/** How many are chosen of a total. */
export const countOf = ({ isAll, ranges, items, except }: Selection, total: number): number =>
  Math.max(0, (isAll ? total : lengthOf(ranges) + items.size) - except.size);

/** Chooses an item, or lets go of it. */
export function toggle(selection: Selection, entry: Entry, index: number): Selection {
  const [items, except] = [new Map(selection.items), new Map(selection.except)];
  const position = { kind: itemKind(entry), index };
  if (isChosen(selection, entry.path, index)) {
    items.delete(entry.path);
    if (isRuled(selection, index)) except.set(entry.path, position);
  } else if (!except.delete(entry.path)) items.set(entry.path, position);
  return { ...selection, items, except };
}

/** Chooses what lies in some places; what is chosen stays. */
export function chooseRanges(selection: Selection, added: readonly Range[], { get, hasPositions }: Arrived): Selection {
  const isApart = ([, { index }]: [string, ItemPosition]) => !covers(added, index);
  const [items, except] = [selection.items, selection.except].map((all) => new Map([...all].filter(isApart)));
  if (selection.isAll) return { ...selection, except: except ?? none };
  const isNamed = !hasPositions || lengthOf(added) <= MAX_NAMED;
  const named = isNamed ? namesIn(added, get) : undefined;
  if (named === undefined)
    return { ...selection, ranges: union(selection.ranges, added), items: items ?? none, except: except ?? none };
  const more = [...named].filter(([, { index }]) => !covers(selection.ranges, index));
  return { ...selection, items: new Map([...(items ?? none), ...more]), except: except ?? none };
}

/** What lies in some places, by name; undefined when some of it has not arrived. */
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

/** What an act is about. @param scope what the rule is about @param last what the last place of the ranges shows */
export function targetOf(selection: Selection, scope: Scope, total: number, last?: string): Target {
  const { isAll, ranges, items, except } = selection;
  const count = countOf(selection, total);
  const single = Array.from(items, ([path, { kind }]) => ({ path, kind }));
  if (isAll) return { scope, except: [...except.keys()], count };
  if (ranges.length === 0) return { items: single };
  return { scope, ranges, last, items: single, except: [...except.keys()], count };
}

/** How many items a target has. */
export const sizeOf = (target: Target): number => ('scope' in target ? target.count : target.items.length);
