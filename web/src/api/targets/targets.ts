import { type AssetSearch, type ListingOrder, listRange, PAGE, searchPage } from '../files.ts';
import { covers, type Range } from './ranges.ts';

export interface Item {
  path: string;
  kind: 'file' | 'folder';
}

/** What a listing is of: a folder, or what a search finds below it. */
export interface Scope {
  folder: string;
  order: ListingOrder;
  search: AssetSearch | undefined;
}

/** Everything that a scope has, but for some. */
export interface Rule {
  scope: Scope;
  except: readonly string[];
  count: number;
}

/** What lies in some places of a folder, but for some, and single items beside that. */
export interface RangeTarget extends Rule {
  ranges: readonly Range[];
  /** What the last of the places shows: another path means that the places have become those of other files. */
  last: string | undefined;
  items: readonly Item[];
}

/** What an act is about. */
export type Target = { items: readonly Item[] } | Rule | RangeTarget;

/** What was chosen by its place is not where it was. */
export class ListingChanged extends Error {}

/** How many items one request takes. */
const BATCH = 200;

/** Items some at a time. */
export function* inBatches(items: readonly Item[]): Generator<readonly Item[]> {
  for (let at = 0; at < items.length; at += BATCH) yield items.slice(at, at + BATCH);
}

/**
 * The items in some places, from the last page to the first: when some are taken away, those before them stay where they are.
 * @throws ListingChanged before anything has been given
 */
export async function* itemsInRanges(target: RangeTarget): AsyncGenerator<readonly Item[]> {
  const { scope, ranges, last, except, items } = target;
  const left = new Set(except);
  let isChecked = last === undefined;
  for (const page of pagesOf(ranges)) {
    const from = page * PAGE;
    const { folders, files } = await listRange(scope.folder, scope.order, from, PAGE);
    const listed: Item[] = [
      ...folders.map(({ path }) => ({ path, kind: 'folder' as const })),
      ...files.map(({ path }) => ({ path, kind: 'file' as const })),
    ];
    if (!isChecked && listed[(ranges.at(-1)?.[1] ?? 0) - from]?.path !== last) throw new ListingChanged();
    isChecked = true;
    const inside = listed.filter(({ path }, at) => !left.has(path) && covers(ranges, from + at));
    if (inside.length > 0) yield inside;
  }
  yield* inBatches(items);
}

/** The pages that ranges touch, the last one first. */
function* pagesOf(ranges: RangeTarget['ranges']): Generator<number> {
  let before = Number.POSITIVE_INFINITY;
  for (const [first, last] of ranges.toReversed()) {
    const from = Math.min(before - 1, Math.floor(last / PAGE));
    for (let page = from; page >= Math.floor(first / PAGE); page--) yield page;
    before = Math.min(before, Math.floor(first / PAGE));
  }
}

/** All that a search finds, but for some. It is found before anything is done with it: that may change what is found. */
export async function itemsFound({ scope, except }: Rule): Promise<Item[]> {
  if (scope.search === undefined) return [];
  const left = new Set(except);
  const paths = new Set<string>();
  for (let cursor: string | null = ''; cursor !== null; ) {
    const page = await searchPage(scope.search, scope.folder, scope.order, cursor);
    for (const { path } of page.assets) if (!left.has(path)) paths.add(path);
    cursor = page.nextCursor;
  }
  return Array.from(paths, (path) => ({ path, kind: 'file' }));
}

/** All items of a target, one after another. For an archive; for an act they are not all wanted at once. */
export async function allItems(target: Target): Promise<readonly Item[]> {
  if (!('scope' in target)) return target.items;
  if (!('ranges' in target)) return itemsFound(target);
  const all: Item[] = [];
  for await (const some of itemsInRanges(target)) all.push(...some);
  return all;
}
