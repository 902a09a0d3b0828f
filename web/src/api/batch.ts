import { call } from './call.ts';
import { queryClient } from './query-client.ts';
import {
  allItems,
  batchRuleOf,
  type Item,
  inBatches,
  itemsFound,
  itemsInRanges,
  outermost,
  type Rule,
  type Target,
} from './targets/targets.ts';
import type { Answers } from './types.ts';

export type BatchAction =
  /** `redirect` keeps the previous URLs working. */
  | { action: 'move'; destination: string; redirect?: boolean }
  | { action: 'copy'; destination: string }
  | { action: 'delete'; trash: boolean }
  | { action: 'restore' | 'invalidate' }
  | { action: 'tag' | 'untag'; tags: string[] };

type Result = Answers['batch']['results'][number];

export interface Outcome {
  done: Result[];
  failed: Result[];
}

/**
 * Runs an action on many files in batches.
 * @param onProgress number of finished items
 * @param signal stops after the current request
 * @throws ListingChanged
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
  const rule = isRule(target) ? batchRuleOf(target.scope) : undefined;
  if (isRule(target) && rule !== undefined) {
    const except = target.except.length > 0 ? target.except : undefined;
    for (let cursor: string | null | undefined; cursor !== null && !signal.aborted; )
      cursor = await send({ ...rule, except, cursor });
    return outcome;
  }
  for await (const items of batchesOf(action, target)) {
    if (signal.aborted) break;
    await send({ items });
  }
  return outcome;
}

/** True if files in a folder go with it. */
const takesFolders = ({ action }: BatchAction) => action === 'move' || action === 'delete' || action === 'invalidate';

const isRule = (target: Target): target is Rule => 'scope' in target && !('ranges' in target);

async function* batchesOf(action: BatchAction, target: Target): AsyncGenerator<readonly Item[]> {
  if (!('scope' in target)) yield* inBatches(takesFolders(action) ? outermost(target.items) : target.items);
  else if (!('ranges' in target)) yield* inBatches(await itemsFound(target));
  // Copies added next to the originals would shift the positions.
  else if (action.action === 'copy') yield* inBatches(await allItems(target));
  else yield* itemsInRanges(target);
}

const channel = typeof BroadcastChannel === 'undefined' ? undefined : new BroadcastChannel('darkroom-files');

function readAgain(): void {
  void queryClient.invalidateQueries({ queryKey: ['files'] });
  void queryClient.invalidateQueries({ queryKey: ['usage'] });
  void queryClient.invalidateQueries({ queryKey: ['stats'] });
  void queryClient.invalidateQueries({ queryKey: ['trash'] });
}
channel?.addEventListener('message', readAgain);

/** Invalidates cached listings after a change, in other tabs too. */
export function filesChanged(): void {
  readAgain();
  channel?.postMessage('changed');
}

/** @throws ApiError 409 if the name is taken */
export async function createFolder(path: string): Promise<void> {
  const form = new FormData();
  form.set('folder', path);
  await call('createFolder', 'upload/createfolder', { method: 'POST', form });
  filesChanged();
}
