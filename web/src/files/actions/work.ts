import { type BatchAction, filesChanged, type Outcome, runBatch } from '../../api/batch.ts';
import { ListingChanged, type Target } from '../../api/targets/targets.ts';
import { listenable } from '../../components/listenable.ts';
import { errorMessage } from '../../components/states.tsx';
import { toast } from '../../components/toasts.tsx';
import { messages } from '../../messages/en.ts';
import { folderOf } from '../entry.ts';
import { sizeOf } from '../selection.ts';
import { withoutThoseIn } from './moving.ts';
import { sayDone } from './undo.ts';

/** A batch in progress, or finished with failures. */
export interface Work {
  action: BatchAction;
  total: number;
  done: number;
  failed: Outcome['failed'];
  isOver: boolean;
  cancel(): void;
}

let current: Work | undefined;
const listeners = listenable();

function set(next: Work | undefined): void {
  current = next;
  listeners.notify();
}

export const dismissWork = () => set(undefined);

export function useWork(): Work | undefined {
  return listeners.use(() => current);
}

/** Runs a batch and offers to undo it where possible. Items that are in the destination already stay out of a move. */
export async function work(action: BatchAction, given: Target, isUndo = false): Promise<void> {
  const target = action.action === 'move' ? withoutThoseIn(given, action.destination) : given;
  if (sizeOf(target) === 0) {
    toast(messages.files.isHere);
    return;
  }
  const abort = new AbortController();
  const total = sizeOf(target);
  const show = (done: number, more: Partial<Work> = {}) =>
    set({ action, total, done, failed: [], isOver: false, cancel: () => abort.abort(), ...more });
  show(0);
  try {
    const { done, failed } = await runBatch(action, target, show, abort.signal);
    if (failed.length > 0) show(total, { failed, isOver: true });
    else set(undefined);
    if (done.length > 0) sayDone(textOf(action, done.length), isUndo ? undefined : undoOf(action, done));
  } catch (error) {
    set(undefined);
    toast(error instanceof ListingChanged ? messages.files.listingChanged : errorMessage(error));
  }
  filesChanged();
}

/** Undoing more would need the names of a whole folder. */
const MAX_UNDONE = 5000;

function textOf(action: BatchAction, count: number): string {
  const { done } = messages.files;
  if (action.action !== 'delete') return done[action.action](count);
  if (!action.trash) return done.deletePermanently(count);
  return count > MAX_UNDONE ? done.deleteMany(count) : done.delete(count);
}

function undoOf(action: BatchAction, done: Outcome['done']): (() => void) | undefined {
  if (done.length > MAX_UNDONE) return undefined;
  if (action.action === 'delete' && action.trash)
    return () => void work({ action: 'restore' }, { items: done.map(({ path }) => ({ path, kind: 'file' })) }, true);
  if (action.action === 'copy') {
    const copies = done.flatMap(({ newPath }) =>
      newPath === undefined ? [] : [{ path: newPath, kind: 'file' as const }],
    );
    return () => void work({ action: 'delete', trash: true }, { items: copies }, true);
  }
  if (action.action !== 'move') return undefined;
  const homes = Map.groupBy(done, ({ path }) => folderOf(path));
  return async () => {
    for (const [destination, moved] of homes)
      await work(
        { action: 'move', destination },
        { items: moved.map(({ path, newPath }) => ({ path: newPath ?? path, kind: 'file' })) },
        true,
      );
  };
}
