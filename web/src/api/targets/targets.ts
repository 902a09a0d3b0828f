import { listAfter, listRange, PAGE, type Scope } from '../files.ts';
import { covers, type Range } from './ranges.ts';

export interface Item {
  path: string;
  kind: 'file' | 'folder';
}

export type { Scope };

/** Everything in a scope, with exceptions. */
export interface Rule {
  scope: Scope;
  except: readonly string[];
  count: number;
}

/** Index ranges of a folder with exceptions, and single items. */
export interface RangeTarget extends Rule {
  ranges: readonly Range[];
  /** Path of the last item in the ranges: another path there means that the listing changed. */
  last: string | undefined;
  items: readonly Item[];
}

/** Items that an action applies to. */
export type Target = { items: readonly Item[] } | Rule | RangeTarget;

/** The selected indices show other items now. */
export class ListingChanged extends Error {}

/** Items per request. */
const BATCH = 200;

/** Splits items into batches. */
export function* inBatches(items: readonly Item[]): Generator<readonly Item[]> {
  for (let at = 0; at < items.length; at += BATCH) yield items.slice(at, at + BATCH);
}

/**
 * Items of index ranges, from the last page to the first: removing items does not shift those before them.
 * @throws ListingChanged before the first batch
 */
export async function* itemsInRanges(target: RangeTarget): AsyncGenerator<readonly Item[]> {
  const { scope, ranges, last, except, items } = target;
  const left = new Set(except);
  let isChecked = last === undefined;
  for (const page of pagesOf(ranges)) {
    const from = page * PAGE;
    const { folders, files } = await listRange(scope, from, PAGE);
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

/** Pages that ranges touch, the last one first. */
function* pagesOf(ranges: RangeTarget['ranges']): Generator<number> {
  let before = Number.POSITIVE_INFINITY;
  for (const [first, last] of ranges.toReversed()) {
    const from = Math.min(before - 1, Math.floor(last / PAGE));
    for (let page = from; page >= Math.floor(first / PAGE); page--) yield page;
    before = Math.min(before, Math.floor(first / PAGE));
  }
}

/**
 * Rule of `POST /storage/batch` for everything in a scope; undefined if that has conditions, which a rule cannot have.
 */
export function batchRuleOf({ folder, order, search }: Scope): object | undefined {
  const { search: words, ...conditions } = search ?? {};
  if (Object.values(conditions).some((value) => value !== undefined)) return undefined;
  return { folder, kind: order.kind, ...(search && { search: words, recursive: true }) };
}

/** Items without those in a folder that is one of them, which go with it. */
export function outermost(items: readonly Item[]): readonly Item[] {
  const folders = new Set(items.filter(({ kind }) => kind === 'folder').map(({ path }) => path));
  if (folders.size === 0) return items;
  return items.filter(({ path }) => {
    for (let end = path.lastIndexOf('/'); end > 0; end = path.lastIndexOf('/', end - 1))
      if (folders.has(path.slice(0, end))) return false;
    return true;
  });
}

/**
 * All search results, with exceptions. Collected before an action starts, because the action may change the results.
 */
export async function itemsFound({ scope, except }: Rule): Promise<readonly Item[]> {
  if (scope.search === undefined) return [];
  const left = new Set(except);
  const found = new Map<string, Item>();
  for (let cursor: string | null = ''; cursor !== null; ) {
    const page = await listAfter(scope, cursor);
    for (const { path } of page.folders) if (!left.has(path)) found.set(path, { path, kind: 'folder' });
    for (const { path } of page.files) if (!left.has(path)) found.set(path, { path, kind: 'file' });
    cursor = page.nextCursor;
  }
  return outermost([...found.values()]);
}

/** All items of a target in one list, for archives. Actions use batches. */
export async function allItems(target: Target): Promise<readonly Item[]> {
  if (!('scope' in target)) return target.items;
  if (!('ranges' in target)) return itemsFound(target);
  const all: Item[] = [];
  for await (const some of itemsInRanges(target)) all.push(...some);
  return all;
}
