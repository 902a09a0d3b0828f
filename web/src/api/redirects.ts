import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { queryOf } from './base.ts';
import { call } from './call.ts';
import { queryClient } from './query-client.ts';
import type { Answers } from './types.ts';

export type Redirect = Answers['listRedirects']['redirects'][number];

const PAGE = 100;

/** Renames, moves and deletions of files change them. */
const REDIRECTS = ['files', 'redirects'] as const;

/** Redirects by their previous path. @param to only those that lead to this path */
export const redirectsQuery = (to: string | undefined) =>
  infiniteQueryOptions({
    queryKey: [...REDIRECTS, to ?? null],
    queryFn: ({ signal, pageParam }) =>
      call('listRedirects', `redirects${queryOf({ to, limit: PAGE, cursor: pageParam })}`, { signal }),
    initialPageParam: '',
    getNextPageParam: ({ nextCursor }) => nextCursor,
  });

const redirectsChanged = () => queryClient.invalidateQueries({ queryKey: REDIRECTS });

/** Redirects that lead to a file, also by a folder above it. */
export const redirectsToQuery = (path: string, limit: number) =>
  queryOptions({
    queryKey: [...REDIRECTS, 'to', path, limit],
    queryFn: async ({ signal }) =>
      (await call('listRedirects', `redirects${queryOf({ to: path, limit })}`, { signal })).redirects,
  });

/** Bytes of a query that every proxy accepts. */
const MAX_QUERY = 4000;

/** Redirects of some paths. Without any redirect in the library, however many paths there are, it is one request. */
export async function redirectsOf(paths: readonly string[]): Promise<Redirect[]> {
  if (paths.length === 0 || (await call('listRedirects', 'redirects?limit=1')).redirects.length === 0) return [];
  const found: Redirect[] = [];
  for (let rest = paths; rest.length > 0; ) {
    let count = Math.min(rest.length, PAGE);
    while (count > 1 && queryOf({ from: rest.slice(0, count) }).length > MAX_QUERY) count = Math.ceil(count / 2);
    const query = queryOf({ from: rest.slice(0, count), limit: PAGE });
    found.push(...(await call('listRedirects', `redirects${query}`)).redirects);
    rest = rest.slice(count);
  }
  return found;
}

export async function createRedirect(from: string, to: string): Promise<Answers['createRedirect']['redirect']> {
  const { redirect } = await call('createRedirect', 'redirects', { method: 'POST', json: { from, to } });
  void redirectsChanged();
  return redirect;
}

export async function deleteRedirect(from: string): Promise<void> {
  await call('deleteRedirect', `redirects${queryOf({ from })}`, { method: 'DELETE' });
  void redirectsChanged();
}
