import { infiniteQueryOptions } from '@tanstack/react-query';
import { queryOf } from './base.ts';
import { call } from './call.ts';
import { queryClient } from './query-client.ts';
import type { Answers } from './types.ts';

export type Redirect = Answers['listRedirects']['redirects'][number];

const PAGE = 100;

/** Redirects by their previous path. */
export const redirectsQuery = infiniteQueryOptions({
  // Renames, moves and deletions of files change them.
  queryKey: ['files', 'redirects'],
  queryFn: ({ signal, pageParam }) =>
    call('listRedirects', `redirects${queryOf({ limit: PAGE, cursor: pageParam })}`, { signal }),
  initialPageParam: '',
  getNextPageParam: ({ nextCursor }) => nextCursor,
});

const redirectsChanged = () => queryClient.invalidateQueries({ queryKey: redirectsQuery.queryKey });

export async function createRedirect(from: string, to: string): Promise<Redirect> {
  const { redirect } = await call('createRedirect', 'redirects', { method: 'POST', json: { from, to } });
  void redirectsChanged();
  return redirect;
}

export async function deleteRedirect(from: string): Promise<void> {
  await call('deleteRedirect', `redirects${queryOf({ from })}`, { method: 'DELETE' });
  void redirectsChanged();
}
