import { infiniteQueryOptions } from '@tanstack/react-query';
import { queryOf } from './base.ts';
import { call } from './call.ts';
import type { Answers } from './types.ts';

/** Identical bytes, or similar images. */
export type DuplicateKind = 'exact' | 'similar';
export type DuplicateGroup = Answers['listDuplicates']['groups'][number];

/** Groups per request. */
const PAGE = 20;

export const duplicatesQuery = (kind: DuplicateKind) =>
  infiniteQueryOptions({
    queryKey: ['files', 'duplicates', kind],
    queryFn: ({ signal, pageParam }) =>
      call('listDuplicates', `assets/duplicates${queryOf({ kind, limit: PAGE, cursor: pageParam })}`, { signal }),
    initialPageParam: '',
    getNextPageParam: ({ nextCursor }) => nextCursor,
  });
