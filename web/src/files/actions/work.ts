import { rootName } from '../../api/access.ts';
import { type BatchAction, filesChanged, type Outcome, runBatch } from '../../api/batch.ts';
import { folderSummaryQuery } from '../../api/folder-summaries.ts';
import { folderOf, nameOf } from '../../api/paths.ts';
import { queryClient } from '../../api/query-client.ts';
import { ListingChanged, type Target } from '../../api/targets/targets.ts';
import { listenable } from '../../components/listenable.ts';
import { errorMessage } from '../../components/states.tsx';
import { toast } from '../../components/toasts.tsx';
import { messages } from '../../messages/en.ts';
import { sizeOf } from '../selection.ts';
import { withoutThoseIn } from './moving.ts';
import { keepsOldUrls } from './old-urls.ts';
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

/** Errors of a move with redirects that one without them need not have. */
const NOT_REDIRECTED: readonly (string | undefined)[] = ['space_conflict', 'too_many_redirects'];

/** Moves as a drag or paste does, which asks nothing: old URLs keep working where they can, by the last choice. */
export async function moveTo(destination: string, target: Target): Promise<void> {
  if (!keepsOldUrls()) return work({ action: 'move', destination }, target);
  return work({ action: 'move', destination, redirect: true }, target, { endsUrls: true });
}

interface WorkOptions {
  isUndo?: boolean;
  /** Moves without a redirect what cannot have one. */
  endsUrls?: boolean;
  /** Text that follows what the message says, once the batch is done. */
  more?: () => Promise<string>;
  /** Names of the items that are restored. */
  names?: string;
}

const UNDO: WorkOptions = { isUndo: true };

/** Runs a batch and offers to undo it where possible. Items that are in the destination already stay out of a move. */
export async function work(action: BatchAction, given: Target, options: WorkOptions = {}): Promise<void> {
  const target = action.action === 'move' ? withoutThoseIn(given, action.destination) : given;
  if (sizeOf(target) === 0) {
    toast(messages.files.isHere);
    return;
  }
  const abort = new AbortController();
  const total = sizeOf(target);
  const folder = onlyFolderOf(target);
  const show = (done: number, more: Partial<Work> = {}) =>
    set({ action, total, done, failed: [], isOver: false, cancel: () => abort.abort(), ...more });
  show(0);
  try {
    const { done, failed, ended } = await run(action, target, show, abort.signal, options.endsUrls);
    if (failed.length > 0) show(total, { failed, isOver: true });
    else set(undefined);
    if (done.length > 0) {
      // Of a batch that was not completed only the number is known.
      const restored = done.length === total ? options.names : undefined;
      const names = restored ?? namesOf(done, folder);
      const text =
        action.action === 'move'
          ? movedText(action, target, done.length, ended)
          : textOf(action, done, names, restored !== undefined);
      const paths = done.flatMap(({ path, newPath }) => (newPath === undefined ? [path] : [path, newPath]));
      const more = (await options.more?.()) ?? '';
      sayDone(`${text} ${more}`.trim(), options.isUndo ? undefined : undoOf(action, done, names), { paths });
    }
  } catch (error) {
    set(undefined);
    toast(error instanceof ListingChanged ? messages.files.listingChanged : errorMessage(error));
  }
  filesChanged();
}

/** Undoing more would need the names of a whole folder. */
const MAX_UNDONE = 5000;

/** Runs a batch. @returns its outcome, with the number of items that were moved without the requested redirect */
async function run(
  action: BatchAction,
  target: Target,
  onProgress: (done: number) => void,
  signal: AbortSignal,
  endsUrls = false,
): Promise<Outcome & { ended: number }> {
  const { done, failed } = await runBatch(action, target, onProgress, signal);
  const refused = endsUrls ? failed.filter(({ code }) => NOT_REDIRECTED.includes(code)) : [];
  if (refused.length === 0 || action.action !== 'move') return { done, failed, ended: 0 };
  const items = refused.map(({ path }) => ({ path, kind: 'file' as const }));
  const again = await runBatch({ action: 'move', destination: action.destination }, { items }, () => undefined, signal);
  return {
    done: [...done, ...again.done],
    failed: [...failed.filter((one) => !refused.includes(one)), ...again.failed],
    ended: again.done.length,
  };
}

function movedText(
  { destination, redirect }: Extract<BatchAction, { action: 'move' }>,
  target: Target,
  count: number,
  ended: number,
): string {
  const { done, oldUrls } = messages.files;
  const text = done.move(count, nameOf(destination) || rootName());
  if (!redirect) return text;
  if (ended > 0) return `${text} ${oldUrls.ended(ended)}`;
  const isOneFile = sizeOf(target) === 1 && 'items' in target && target.items[0]?.kind === 'file';
  return `${text} ${isOneFile ? oldUrls.oneKept : oldUrls.kept}`;
}

function textOf(
  action: Exclude<BatchAction, { action: 'move' }>,
  done: Outcome['done'],
  names: string,
  areRestored: boolean,
): string {
  const texts = messages.files.done;
  if (areRestored) return texts.restoreNamed(names);
  if (action.action !== 'delete') return texts[action.action](done.length);
  if (!action.trash) return texts.deletePermanently(names);
  return done.length > MAX_UNDONE ? texts.deleteMany(names) : texts.delete(names);
}

/** Name of the only item if it is a folder, with the number of its items as its tile has it. */
function onlyFolderOf(target: Target): string | undefined {
  const [item] = 'items' in target ? target.items : [];
  if (sizeOf(target) !== 1 || item?.kind !== 'folder') return undefined;
  const summary = queryClient.getQueryData(folderSummaryQuery(item.path).queryKey);
  const content = summary && messages.files.content(summary.itemCount, summary.truncated);
  return messages.files.done.folder(nameOf(item.path), content);
}

/** @param folder name of the only item, a folder */
const namesOf = (done: Outcome['done'], folder: string | undefined): string =>
  folder ?? messages.files.done.names(nameOf(done[0]?.path ?? ''), done.length - 1);

function undoOf(action: BatchAction, done: Outcome['done'], names: string): (() => void) | undefined {
  if (done.length > MAX_UNDONE) return undefined;
  if (action.action === 'delete' && action.trash)
    return () =>
      void work({ action: 'restore' }, { items: done.map(({ path }) => ({ path, kind: 'file' })) }, { ...UNDO, names });
  if (action.action === 'copy') {
    const copies = done.flatMap(({ newPath }) =>
      newPath === undefined ? [] : [{ path: newPath, kind: 'file' as const }],
    );
    return () => void work({ action: 'delete', trash: true }, { items: copies }, UNDO);
  }
  if (action.action === 'tag' || action.action === 'untag') return undoOfTags(action.action, done);
  if (action.action !== 'move') return undefined;
  const homes = Map.groupBy(done, ({ path }) => folderOf(path));
  return async () => {
    for (const [destination, moved] of homes)
      await work(
        { action: 'move', destination },
        { items: moved.map(({ path, newPath }) => ({ path: newPath ?? path, kind: 'file' })) },
        UNDO,
      );
  };
}

/** Takes added tags from the files that did not have them, or gives removed ones back to those that had them. */
function undoOfTags(action: 'tag' | 'untag', done: Outcome['done']): (() => void) | undefined {
  const changed = done.filter(({ changedTags = [] }) => changedTags.length > 0);
  if (changed.length === 0) return undefined;
  const groups = Map.groupBy(changed, ({ changedTags }) => JSON.stringify(changedTags));
  return async () => {
    for (const files of groups.values())
      await work(
        { action: action === 'tag' ? 'untag' : 'tag', tags: [...(files[0]?.changedTags ?? [])] },
        { items: files.map(({ path }) => ({ path, kind: 'file' })) },
        UNDO,
      );
  };
}
