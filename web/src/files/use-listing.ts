import { keepPreviousData, useInfiniteQuery, useQueries, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { type Listing, listingKey, listingQuery, PAGE, searchQuery } from '../api/files.ts';
import type { Scope } from '../api/targets/targets.ts';
import { assetEntry, type Entry, entriesOf } from './entry.ts';

/** Pages are requested once scrolling has paused, not while scrolling past them. */
const SETTLED_MS = 90;
/** Search results to prefetch. */
const AHEAD = 60;

/** Listing by index. Items are undefined until they arrive. */
export interface Files {
  /** Scrollable items. */
  count: number;
  /** Total; a lower bound unless `isExact`. */
  total: number;
  isExact: boolean;
  get(index: number): Entry | undefined;
  /** Index of the first match among arrived items from `from` on, then from the start. */
  find(from: number, matches: (entry: Entry, index: number) => boolean): number | undefined;
  /** Index of a name among items that have not arrived; undefined if there is none or the order is not by name. */
  seek(start: string): Promise<number | undefined>;
  /** True if items can be requested by index; search results cannot. */
  hasPositions: boolean;
  /** True before the first response. */
  isPending: boolean;
  isFetching: boolean;
  error: unknown;
  retry(): void;
}

/** Files of a folder, or search results below it. @param range indices in view */
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

/** One list per page, so that unchanged tiles are not re-rendered. */
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
