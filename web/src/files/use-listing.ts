import { keepPreviousData, useInfiniteQuery, useQueries, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { type Listing, listingKey, listingQuery, PAGE, searchQuery } from '../api/files.ts';
import type { Scope } from '../api/targets/targets.ts';
import { assetEntry, type Entry, entriesOf } from './entry.ts';

/** How long scrolling has to rest before pages are asked for: whoever flies over them does not want them. */
const SETTLED_MS = 90;
/** Search results ahead of those that are shown. */
const AHEAD = 60;

/** What is shown, item by item. Items are undefined until they have arrived. */
export interface Files {
  /** How many rows or tiles there are to scroll through. */
  count: number;
  /** How many there are in truth; `isExact` is false where only so many were counted. */
  total: number;
  isExact: boolean;
  get(index: number): Entry | undefined;
  /** The first place from one on, and then from the start, of an entry that has arrived. */
  find(from: number, matches: (entry: Entry) => boolean): number | undefined;
  /** The place of a name that has not arrived; undefined where there is none, or names are in no order. */
  seek(start: string): Promise<number | undefined>;
  /** Whether it can be asked for by place: what a search finds cannot. */
  hasPositions: boolean;
  /** Nothing is known yet. */
  isPending: boolean;
  isFetching: boolean;
  error: unknown;
  retry(): void;
}

/** The files of a folder, or what a search finds below it. @param range the first and the last item in view */
export function useFiles(scope: Scope, range: readonly [number, number]): Files {
  const isSearching = scope.search !== undefined;
  const folder = useFolder(scope, range, !isSearching);
  const search = useSearch(scope, range, isSearching);
  return isSearching ? search : folder;
}

function useFolder({ folder, order }: Scope, range: readonly [number, number], isEnabled: boolean): Files {
  const client = useQueryClient();
  const [first, last] = useSettled(range);
  const pages: number[] = [];
  for (let page = Math.floor(first / PAGE); page <= Math.floor(last / PAGE); page++) pages.push(page);
  const results = useQueries({
    queries: pages.map((page) => ({ ...listingQuery(folder, order, page), enabled: isEnabled })),
  });
  const totals = useRef({ key: '', total: 0 });
  const key = JSON.stringify([folder, order]);
  const loaded = results.find(({ data }) => data !== undefined)?.data;
  if (loaded) totals.current = { key, total: loaded.total };
  const isKnown = totals.current.key === key;
  const failed = results.find(({ error }) => error !== null);
  return {
    count: isKnown ? totals.current.total : 0,
    total: isKnown ? totals.current.total : 0,
    isExact: true,
    get(index) {
      const page = Math.floor(index / PAGE);
      const data = client.getQueryData(listingQuery(folder, order, page).queryKey);
      return data && entriesCached(data)[index - page * PAGE];
    },
    find(from, matches) {
      const arrived = client.getQueriesData<Listing>({ queryKey: listingKey(folder, order) }).flatMap(([key, data]) => {
        const start = Number(key.at(-1)) * PAGE;
        return data === undefined ? [] : entriesCached(data).map((entry, at) => [start + at, entry] as const);
      });
      return firstFrom(from, arrived, matches);
    },
    async seek(start) {
      if (order.sort !== 'name' || order.order !== 'asc') return undefined;
      const { indexOfName } = await import('../api/targets/find.ts');
      return indexOfName(folder, order, totals.current.total, start);
    },
    hasPositions: true,
    isPending: !isKnown && !failed,
    isFetching: results.some(({ isFetching }) => isFetching),
    error: failed?.error,
    retry: () => void failed?.refetch(),
  };
}

/** One list for each page, so that tiles that have not changed are not drawn again. */
const lists = new WeakMap<object, Entry[]>();

function entriesCached(page: Parameters<typeof entriesOf>[0]): Entry[] {
  const known = lists.get(page) ?? entriesOf(page);
  lists.set(page, known);
  return known;
}

function useSearch(
  { folder, search = {}, order }: Scope,
  [, last]: readonly [number, number],
  isEnabled: boolean,
): Files {
  const query = useInfiniteQuery({
    ...searchQuery(search, folder, order),
    enabled: isEnabled,
    placeholderData: keepPreviousData,
  });
  const { data, hasNextPage, isFetchingNextPage, fetchNextPage } = query;
  const found = data?.pages.flatMap(({ assets }) => assets) ?? [];
  const isNear = isEnabled && hasNextPage && !isFetchingNextPage && last > found.length - AHEAD;
  useEffect(() => {
    if (isNear) void fetchNextPage();
  }, [isNear, fetchNextPage]);
  const [page] = data?.pages ?? [];
  return {
    count: found.length,
    total: page?.total ?? 0,
    isExact: page?.isTotalExact ?? true,
    get(index) {
      const asset = found[index];
      return asset && assetEntry(asset);
    },
    find: (from, matches) =>
      firstFrom(
        from,
        found.map((asset, at) => [at, assetEntry(asset)] as const),
        matches,
      ),
    seek: async () => undefined,
    hasPositions: false,
    isPending: isEnabled && query.isPending,
    isFetching: query.isFetching,
    error: query.error ?? undefined,
    retry: () => void query.refetch(),
  };
}

function firstFrom(
  from: number,
  arrived: readonly (readonly [index: number, entry: Entry])[],
  matches: (entry: Entry) => boolean,
): number | undefined {
  const matching = arrived.filter(([, entry]) => matches(entry)).map(([index]) => index);
  const after = matching.filter((index) => index >= from);
  const indices = after.length > 0 ? after : matching;
  return indices.length === 0 ? undefined : indices.reduce((one, other) => Math.min(one, other));
}

/** The last range on which scrolling has rested. */
function useSettled(range: readonly [number, number]): readonly [number, number] {
  const [settled, setSettled] = useState(range);
  const [first, last] = range;
  useEffect(() => {
    const timer = setTimeout(() => setSettled([first, last]), SETTLED_MS);
    return () => clearTimeout(timer);
  }, [first, last]);
  return settled;
}
