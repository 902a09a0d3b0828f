import { useQueries, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { type Listing, listingKey, listingQuery, PAGE, type Scope } from '../api/files.ts';
import { type Entry, entriesOf } from './entry.ts';

/** Pages are requested once scrolling has paused, not while scrolling past them. */
const SETTLED_MS = 90;

/** Listing by index. Items are undefined until they arrive. */
export interface Files {
  count: number;
  get(index: number): Entry | undefined;
  /** Index of the first match among arrived items from `from` on, then from the start. */
  find(from: number, matches: (entry: Entry, index: number) => boolean): number | undefined;
  /** Index of a name among items that have not arrived; undefined if there is none or the order is not by name. */
  seek(start: string): Promise<number | undefined>;
  /** True before the first response. */
  isPending: boolean;
  error: unknown;
  retry(): void;
}

/** Files of a folder, or search results below it. @param range indices in view */
export function useFiles(scope: Scope, range: readonly [number, number]): Files {
  const client = useQueryClient();
  const [first, last] = useSettled(range);
  const pages: number[] = [];
  for (let page = Math.floor(first / PAGE); page <= Math.floor(last / PAGE); page++) pages.push(page);
  const results = useQueries({ queries: pages.map((page) => listingQuery(scope, page)) });
  const loaded = results.find(({ data }) => data !== undefined)?.data;
  const known = useRef<{ scope: Scope; total: number }>(undefined);
  if (loaded) known.current = { scope, total: loaded.total };
  const failed = results.find(({ error }) => error !== null);
  const shown = !failed && canStay(known.current?.scope, scope) ? known.current : undefined;
  const total = shown?.total ?? 0;
  const { order } = scope;
  return {
    count: total,
    get(index) {
      const page = Math.floor(index / PAGE);
      const data = shown && client.getQueryData(listingQuery(shown.scope, page).queryKey);
      return data && entriesCached(data)[index - page * PAGE];
    },
    find(from, matches) {
      const arrived = client.getQueriesData<Listing>({ queryKey: listingKey(scope) }).flatMap(([key, data]) => {
        const start = Number(key.at(-1)) * PAGE;
        return data === undefined ? [] : entriesCached(data).map((entry, at) => [start + at, entry] as const);
      });
      return firstFrom(from, arrived, matches);
    },
    async seek(start) {
      if (order.sort !== 'name' || order.order !== 'asc') return undefined;
      const { indexOfName } = await import('../api/targets/find.ts');
      return indexOfName(scope, total, start);
    },
    isPending: shown === undefined && !failed,
    error: failed?.error,
    retry: () => void failed?.refetch(),
  };
}

/** True if items of one scope may be shown until those of another arrive: while a search is typed or narrowed. */
function canStay(known: Scope | undefined, wanted: Scope): boolean {
  if (known === undefined || known.folder !== wanted.folder) return false;
  if (known.search && wanted.search) return true;
  return JSON.stringify(known) === JSON.stringify(wanted);
}

/** One list per page, so that unchanged tiles are not re-rendered. */
const lists = new WeakMap<object, Entry[]>();

function entriesCached(page: Parameters<typeof entriesOf>[0]): Entry[] {
  const known = lists.get(page) ?? entriesOf(page);
  lists.set(page, known);
  return known;
}

function firstFrom(
  from: number,
  arrived: readonly (readonly [index: number, entry: Entry])[],
  matches: (entry: Entry, index: number) => boolean,
): number | undefined {
  const matching = arrived.filter(([index, entry]) => matches(entry, index)).map(([index]) => index);
  const after = matching.filter((index) => index >= from);
  const indices = after.length > 0 ? after : matching;
  return indices.length === 0 ? undefined : indices.reduce((one, other) => Math.min(one, other));
}

/** Last range at which scrolling paused. */
function useSettled(range: readonly [number, number]): readonly [number, number] {
  const [settled, setSettled] = useState(range);
  const [first, last] = range;
  useEffect(() => {
    const timer = setTimeout(() => setSettled([first, last]), SETTLED_MS);
    return () => clearTimeout(timer);
  }, [first, last]);
  return settled;
}
