import { infiniteQueryOptions } from '@tanstack/react-query';
import { queryOf, urlOf } from './base.ts';
import { call } from './call.ts';
import type { TrashItem } from './types.ts';

const PAGE = 100;
/** The service makes no small image of a larger file. */
const MAX_PREVIEW_BYTES = 64 * 1024 * 1024;
/** Requests at the same time. */
const CONCURRENCY = 4;

export interface TrashOrder {
  sort: 'deleted' | 'path' | 'size';
  order: 'asc' | 'desc';
}

const pageOf = (order: TrashOrder, cursor: string, signal: AbortSignal) =>
  call('listTrash', `trash${queryOf({ limit: PAGE, ...order, cursor })}`, { signal });

/** Items in the trash. */
export const trashQuery = (order: TrashOrder) =>
  infiniteQueryOptions({
    queryKey: ['trash', order],
    queryFn: ({ signal, pageParam }) => pageOf(order, pageParam, signal),
    initialPageParam: '',
    getNextPageParam: ({ nextCursor }) => nextCursor,
  });

/** URL of a small image of an item; undefined if it has none. */
export function previewOf({ id, kind, size }: TrashItem): string | undefined {
  const isVisual = kind === 'image' || kind === 'video';
  return isVisual && size <= MAX_PREVIEW_BYTES ? urlOf(`trash/${encodeURIComponent(id)}/preview`) : undefined;
}

export const restoreItem = (id: string) =>
  call('restoreFromTrash', `trash/${encodeURIComponent(id)}/restore`, { method: 'POST', json: {} });

export const removeItem = (id: string) =>
  call('deleteFromTrash', `trash/${encodeURIComponent(id)}`, { method: 'DELETE' });

export const emptyTrash = () => call('emptyTrash', 'trash', { method: 'DELETE' });

/** Yields the ids of everything in the trash, in parts. Items that leave it meanwhile shift none. */
export async function* everyItem(signal: AbortSignal): AsyncGenerator<readonly string[]> {
  let cursor: string | null = '';
  while (cursor !== null && !signal.aborted) {
    const page: Awaited<ReturnType<typeof pageOf>> = await pageOf({ sort: 'deleted', order: 'desc' }, cursor, signal);
    yield page.items.map(({ id }) => id);
    cursor = page.nextCursor;
  }
}

export interface Outcome {
  done: number;
  /** Errors of the others. */
  failed: unknown[];
}

/**
 * Runs a request for each item, a few at a time. One that fails stops no other.
 * @param onProgress gets the number of finished items
 * @param signal begins no more
 */
export async function forEachItem(
  parts: AsyncIterable<readonly string[]> | Iterable<readonly string[]>,
  run: (id: string) => Promise<unknown>,
  onProgress: (finished: number) => void,
  signal: AbortSignal,
): Promise<Outcome> {
  const outcome: Outcome = { done: 0, failed: [] };
  for await (const ids of parts) {
    const waiting = [...ids];
    const work = async () => {
      for (let id = waiting.shift(); id !== undefined && !signal.aborted; id = waiting.shift()) {
        await run(id).then(
          () => outcome.done++,
          (error) => outcome.failed.push(error),
        );
        onProgress(outcome.done + outcome.failed.length);
      }
    };
    await Promise.all(Array.from({ length: CONCURRENCY }, work));
    if (signal.aborted) break;
  }
  return outcome;
}
