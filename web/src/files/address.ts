import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useCallback, useMemo } from 'react';
import { type AssetSearch, KINDS, type Kind, type ListingOrder, listingQuery, type Scope } from '../api/files.ts';
import { queryClient } from '../api/query-client.ts';
import { type Filter, isFiltering, NO_FILTER, readFilter } from './filters/filter.ts';
import type { View } from './grid/use-layout.ts';
import { leave } from './use-arrival.ts';

const SORTS: readonly ListingOrder['sort'][] = ['name', 'kind', 'dimensions', 'size', 'mtime', 'created'];

/** Search parameters of the page. */
export interface FilesSearch extends Filter {
  view?: View | undefined;
  sort?: ListingOrder['sort'] | undefined;
  order?: ListingOrder['order'] | undefined;
  q?: string | undefined;
  /** Searches titles, alt texts, descriptions and tags instead of paths. */
  in?: 'text' | undefined;
  kind?: Kind | undefined;
  open?: string | undefined;
  /** True while the opened file is shown full screen. */
  full?: true | undefined;
}

const oneOf = <T extends string>(all: readonly T[], value: unknown): T | undefined => all.find((one) => one === value);

/** Parses search parameters; invalid values are dropped. */
export function readFilesSearch(search: Record<string, unknown>): FilesSearch {
  const text = (value: unknown) => (value === undefined || value === '' ? undefined : String(value));
  const open = text(search.open);
  return {
    view: oneOf(['grid', 'list'], search.view),
    sort: oneOf(SORTS, search.sort),
    order: oneOf(['asc', 'desc'], search.order),
    q: text(search.q),
    in: oneOf(['text'], search.in),
    kind: oneOf(KINDS, search.kind),
    open,
    full: (open !== undefined && search.full === true) || undefined,
    ...readFilter(search),
  };
}

/** Requests the first page before the page is rendered. */
export function prefetchFolder(path: string, search: FilesSearch): void {
  void queryClient.prefetchQuery(listingQuery(scopeOf(withoutSlash(path), search), 0));
}

/** Folder of an address, which may end with a slash. */
export const withoutSlash = (path: string) => path.replace(/\/+$/, '');

/** Subject of the listing. A search, a filter or a kind is about the folder and everything below it. */
function scopeOf(folder: string, search: FilesSearch): Scope {
  const { sort = 'name', order = 'asc', kind, q } = search;
  const filter = readFilter({ ...search });
  const { deep, ...conditions } = filter;
  const isSearching = q !== undefined || kind !== undefined || isFiltering(filter);
  const words = search.in === 'text' ? { q } : { search: q };
  return { folder, order: { sort, order, kind }, search: isSearching ? { ...conditions, ...words } : undefined };
}

export interface FilesAddress {
  folder: string;
  view: View;
  q: string;
  /** True if titles, alt texts, descriptions and tags are searched instead of paths. */
  isInText: boolean;
  order: ListingOrder;
  filter: Filter;
  /** Recursive search; undefined for a plain folder. */
  search: AssetSearch | undefined;
  opened: string | undefined;
  /** True while the opened file is shown full screen. */
  isFull: boolean;
  /** Updates search parameters; undefined removes one. */
  change(search: Partial<FilesSearch>, replace?: boolean): void;
  /** Shows the opened file full screen. */
  showFull(): void;
  go(folder: string): void;
}

/** Returns the search of another folder: the view stays, what was searched and opened ends. */
export const searchOfFolder = (old: object) => ({
  ...old,
  ...NO_FILTER,
  kind: undefined,
  q: undefined,
  in: undefined,
  open: undefined,
  full: undefined,
});

/** State of the page. All of it is in the URL, for sharing and the browser history. */
export function useFilesAddress(): FilesAddress {
  const { _splat = '' } = useParams({ strict: false }) as { _splat?: string };
  const search = useSearch({ strict: false }) as FilesSearch;
  const navigate = useNavigate();
  const folder = withoutSlash(_splat);
  const { view = 'grid', q = '', open } = search;
  const isFull = search.full === true;
  const isInText = search.in === 'text';
  const scope = scopeOf(folder, search);
  const { sort, order, kind } = scope.order;
  const written = JSON.stringify(readFilter(search as Record<string, unknown>));
  const filter = useMemo((): Filter => ({ ...NO_FILTER, ...JSON.parse(written) }), [written]);
  const searched = JSON.stringify(scope.search ?? null);
  const assetSearch = useMemo((): AssetSearch | undefined => JSON.parse(searched) ?? undefined, [searched]);
  const change = useCallback(
    (next: Partial<FilesSearch>, replace = false) =>
      void navigate({ to: '/files/$', params: { _splat: folder }, search: (old) => ({ ...old, ...next }), replace }),
    [navigate, folder],
  );
  const showFull = useCallback(
    () =>
      void navigate({
        to: '/files/$',
        params: { _splat: folder },
        search: (old: FilesSearch) => (old.open === undefined ? old : { ...old, full: true as const }),
      }),
    [navigate, folder],
  );
  const go = useCallback(
    (target: string) => {
      leave(folder);
      void navigate({
        to: '/files/$',
        params: { _splat: target },
        search: searchOfFolder,
      });
    },
    [navigate, folder],
  );
  return useMemo(
    () => ({
      folder,
      view,
      q,
      isInText,
      order: { sort, order, kind },
      filter,
      search: assetSearch,
      opened: open,
      isFull,
      change,
      showFull,
      go,
    }),
    [folder, view, q, isInText, sort, order, kind, filter, assetSearch, open, isFull, change, showFull, go],
  );
}
