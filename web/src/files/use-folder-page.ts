import { useCallback, useEffect, useMemo, useState } from 'react';
import { useCan } from '../api/access.ts';
import { archiveUrl, downloadUrl, folderDownloadUrl } from '../api/files.ts';
import { allItems, type Scope, type Target } from '../api/targets/targets.ts';
import { errorMessage } from '../components/states.tsx';
import { toast } from '../components/toasts.tsx';
import { messages } from '../messages/en.ts';
import type { ActionDialog, DialogRequest } from './actions/action-dialogs.tsx';
import { clearClip, hold } from './actions/clipboard.ts';
import { work } from './actions/work.ts';
import type { FilesAddress } from './address.ts';
import type { Entry } from './entry.ts';
import { countOf, EVERYTHING, isChosen, mayContain, NOTHING, type Selection, targetOf } from './selection.ts';
import type { FileAction, PrivacyAction } from './selection-bar.tsx';
import { useChoosing } from './use-choosing.ts';
import { type Files, useFiles } from './use-listing.ts';
import { usePrivateFolders } from './use-private-folders.ts';

export type FolderPage = ReturnType<typeof useFolderPage>;

/** State and actions of the folder page. */
export function useFolderPage(address: FilesAddress) {
  const { folder, order, search, opened, change, go } = address;
  const isSearching = search !== undefined;
  const scope = useMemo((): Scope => ({ folder, order, search }), [folder, order, search]);
  const [range, setRange] = useState<readonly [number, number]>([0, 0]);
  const [dialog, setDialog] = useState<ActionDialog>();
  const [revealed, setRevealed] = useState<{ index: number }>();
  const [around, lookAround] = useState<number>();
  const files = useFiles(scope, around === undefined ? range : [Math.max(0, around - 1), around + 1]);
  const { selection, setSelection, last } = useSelection(files, scope);
  const choosing = useChoosing(files, selection, setSelection);
  const count = countOf(selection, files.count);
  const chosen = useMemo(() => targetOf(selection, scope, files.count, last), [selection, scope, files.count, last]);
  const open = useCallback(
    (entry: Entry) => (entry.kind === 'folder' ? go(entry.path) : change({ open: entry.path })),
    [go, change],
  );
  const privacy = usePrivacy();
  /** Opens a dialog. A deletion that can be undone has none. */
  const begin = (request: DialogRequest) => {
    if (request.kind !== 'delete') return setDialog(request);
    setSelection(NOTHING);
    if (opened !== undefined && mayContain(request.target, opened)) change({ open: undefined }, true);
    void work({ action: 'delete', trash: true }, request.target);
  };
  const action = (one: FileAction, target: Target = chosen) => {
    if (one === 'cut' || one === 'hold') {
      const wasChosen = selection;
      const has = (path: string, index: number) =>
        target === chosen ? isChosen(wasChosen, path, index) : 'items' in target && target.items[0]?.path === path;
      const home = isSearching ? undefined : folder;
      hold({ action: one === 'cut' ? 'cut' : 'copy', folder: home, target, has });
      return setSelection(NOTHING);
    }
    if (one === 'download') {
      void download(target);
      return;
    }
    if (one === 'makePrivate' || one === 'makePublic') {
      privacy.change(one, target);
      return;
    }
    const request = one === 'rename' || one === 'replace' ? requestOfOne(one, target) : { kind: one, target };
    if (request) begin(request);
  };
  return {
    address,
    files,
    setRange,
    /** Loads the items around an index instead of those in view; undefined ends it. */
    lookAround,
    selection,
    setSelection,
    dialog,
    begin,
    closeDialog: () => setDialog(undefined),
    choosing,
    open,
    action,
    privacyOf: privacy.of,
    isPrivate: privacy.isPrivate,
    /** Item to scroll into view; a new object each time. */
    revealed,
    reveal: (index: number) => setRevealed({ index }),
    isSearching,
    count,
    chosen,
    chooseAll: () => setSelection(EVERYTHING),
    letGo: () => {
      if (count > 0) setSelection(NOTHING);
      else change({ open: undefined });
      clearClip();
    },
  };
}

/** Dialog for the item of a target. */
function requestOfOne(kind: 'rename' | 'replace', target: Target): ActionDialog | undefined {
  const [first] = 'items' in target ? target.items : [];
  return first && { kind, path: first.path, isFolder: first.kind === 'folder' };
}

/** Privacy of folders, which admins change one by one. */
function usePrivacy() {
  const folders = usePrivateFolders();
  const isAdmin = useCan('admin');
  return {
    isPrivate: folders.isPrivate,
    /** Possible change of a target. */
    of(target: Target): PrivacyAction | undefined {
      const path = isAdmin ? onlyFolderOf(target) : undefined;
      return path === undefined ? undefined : folders.changeOf(path);
    },
    change(action: PrivacyAction, target: Target): void {
      const path = onlyFolderOf(target);
      if (path !== undefined) void folders[action](path);
    },
  };
}

/** Path of the folder that a target consists of; undefined for anything else. */
function onlyFolderOf(target: Target): string | undefined {
  if ('scope' in target || target.items.length !== 1) return undefined;
  const [item] = target.items;
  return item?.kind === 'folder' ? item.path : undefined;
}

/** Selection of the shown files. */
function useSelection(files: Files, scope: Scope) {
  const [selection, setSelection] = useState<Selection>(NOTHING);
  const { sort, order, kind } = scope.order;
  // biome-ignore lint/correctness/useExhaustiveDependencies: what was chosen of other files is not chosen of these
  useEffect(() => setSelection(NOTHING), [scope.search, kind]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: in another order other files have these indices
  useEffect(() => setSelection((old) => (old.ranges.length > 0 ? NOTHING : old)), [sort, order]);
  const { ranges } = selection;
  const end = ranges.at(-1)?.[1];
  const shown = end === undefined ? undefined : files.get(end)?.path;
  const [seen, setSeen] = useState<{ ranges: Selection['ranges']; path: string }>();
  const last = seen?.ranges === ranges ? seen.path : undefined;
  useEffect(() => {
    if (shown === undefined || shown === last) return;
    if (last === undefined) return setSeen({ ranges, path: shown });
    // Another client changed the folder: the selected indices show other items now.
    setSelection(NOTHING);
    toast(messages.files.listingChanged);
  }, [shown, last, ranges]);
  return { selection, setSelection, last };
}

/** Downloads one file directly, several as an archive. */
async function download(target: Target): Promise<void> {
  try {
    const items = await allItems(target);
    const [first] = items;
    if (items.length > 1) location.assign(await archiveUrl(items));
    else if (first) location.assign(first.kind === 'folder' ? folderDownloadUrl(first.path) : downloadUrl(first.path));
  } catch (error) {
    toast(errorMessage(error));
  }
}
