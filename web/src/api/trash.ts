import { infiniteQueryOptions } from '@tanstack/react-query';
import { queryOf } from './base.ts';
import { call } from './call.ts';

const PAGE = 100;

/** Items in the trash, newest first. */
export const trashQuery = infiniteQueryOptions({
  queryKey: ['trash'],
  queryFn: ({ signal, pageParam }) =>
    call('listTrash', `trash${queryOf({ limit: PAGE, cursor: pageParam })}`, { signal }),
  initialPageParam: '',
  getNextPageParam: ({ nextCursor }) => nextCursor,
});

export const restoreItem = (id: string) =>
  call('restoreFromTrash', `trash/${encodeURIComponent(id)}/restore`, { method: 'POST', json: {} });

export const removeItem = (id: string) =>
  call('deleteFromTrash', `trash/${encodeURIComponent(id)}`, { method: 'DELETE' });

export const emptyTrash = () => call('emptyTrash', 'trash', { method: 'DELETE' });
