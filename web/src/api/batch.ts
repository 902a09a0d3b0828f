import type { Answers } from './answers.ts';
import { call } from './call.ts';
import type { Kind } from './files.ts';
import { queryClient } from './query-client.ts';

export type BatchAction =
  | { action: 'move' | 'copy'; destination: string }
  | { action: 'delete'; trash: boolean }
  | { action: 'restore' | 'invalidate' }
  | { action: 'tag' | 'untag'; tags: string[] };

export interface Item {
  path: string;
  kind: 'file' | 'folder';
}

/** Single items, or everything that a folder shows but for some. */
export type Target =
  | { items: readonly Item[] }
  | { folder: string; kind?: Kind | undefined; except: readonly string[]; count: number };

type Result = Answers['batch']['results'][number];

export interface Outcome {
  done: Result[];
  failed: Result[];
}

/** How many items one request takes. */
const BATCH = 200;

/**
 * Does the same to many files, some at a time.
 * @param onProgress how many are done
 * @param signal ends it after the request under way
 */
export async function runBatch(
  action: BatchAction,
  target: Target,
  onProgress: (done: number) => void,
  signal: AbortSignal,
): Promise<Outcome> {
  const outcome: Outcome = { done: [], failed: [] };
  const send = async (part: object) => {
    const answer = await call('batch', 'storage/batch', { method: 'POST', json: { ...action, ...part } });
    for (const result of answer.results) outcome[result.error === undefined ? 'done' : 'failed'].push(result);
    onProgress(outcome.done.length + outcome.failed.length);
    return answer.nextCursor;
  };
  if ('items' in target) {
    for (let at = 0; at < target.items.length && !signal.aborted; at += BATCH)
      await send({ items: target.items.slice(at, at + BATCH) });
    return outcome;
  }
  const { folder, kind, except } = target;
  for (let cursor: string | null | undefined; cursor !== null && !signal.aborted; )
    cursor = await send({ folder, kind, ...(except.length > 0 && { except }), cursor });
  return outcome;
}

const channel = typeof BroadcastChannel === 'undefined' ? undefined : new BroadcastChannel('darkroom-files');

function readAgain(): void {
  void queryClient.invalidateQueries({ queryKey: ['files'] });
  void queryClient.invalidateQueries({ queryKey: ['usage'] });
  void queryClient.invalidateQueries({ queryKey: ['stats'] });
  void queryClient.invalidateQueries({ queryKey: ['trash'] });
}
channel?.addEventListener('message', readAgain);

/** After a change: what is shown is read again, in the other tabs too. */
export function filesChanged(): void {
  readAgain();
  channel?.postMessage('changed');
}
