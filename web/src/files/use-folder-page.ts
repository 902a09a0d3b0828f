import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import type { Target } from '../api/batch.ts';
import { archiveUrl, downloadUrl, folderDownloadUrl } from '../api/files.ts';
import { adviceOn } from '../parts/states.tsx';
import { toast } from '../parts/toasts.tsx';
import type { Question } from './acts/acts.tsx';
import type { FilesAddress } from './address.ts';
import { type Entry, folderOf } from './entry.ts';
import type { Command } from './grid/keys.ts';
import { choose, countOf, EVERYTHING, NOTHING, type Selection, targetOf } from './selection.ts';
import type { Act } from './selection-bar.tsx';
import { useChoosing } from './use-choosing.ts';
import { useFiles } from './use-listing.ts';

export type FolderPage = ReturnType<typeof useFolderPage>;

/** What the page of a folder knows and can do. */
export function useFolderPage(address: FilesAddress) {
  const { folder, q, order, change, go } = address;
  const isSearching = q !== '';
  const [range, setRange] = useState<readonly [number, number]>([0, 0]);
  const [selection, setSelection] = useState<Selection>(NOTHING);
  const [question, setQuestion] = useState<Question>();
  const files = useFiles({ folder, q, order }, range);
  // biome-ignore lint/correctness/useExhaustiveDependencies: what was chosen of other files is not chosen of these
  useEffect(() => setSelection(NOTHING), [q, order.kind]);
  const choosing = useChoosing({ files, folder, isSearching, order, setSelection });
  const chosen = useMemo(
    () => targetOf(selection, { folder, kind: order.kind, total: files.total }),
    [selection, folder, order.kind, files.total],
  );
  const open = useCallback(
    (entry: Entry) => (entry.kind === 'folder' ? go(entry.path) : change({ open: entry.path })),
    [go, change],
  );
  const act = (one: Act) => {
    const [first] = 'items' in chosen ? chosen.items : [];
    if (one !== 'download' && one !== 'rename') return setQuestion({ ask: one, target: chosen });
    if (first === undefined) return;
    if (one === 'rename') return setQuestion({ ask: 'rename', path: first.path });
    void download(chosen);
  };
  return {
    ...{ address, files, range, setRange, selection, setSelection, question, setQuestion, choosing, open, act },
    isSearching,
    count: countOf(selection, files.total),
    chooseAll: () =>
      // A search has no rule that means all it finds: those are chosen that have arrived.
      setSelection((old) => {
        if (!isSearching) return EVERYTHING;
        const found = Array.from({ length: files.count }, (_, index) => files.get(index));
        return choose(
          old,
          found.filter((entry) => entry !== undefined),
        );
      }),
  };
}

/** Has the browser download what is chosen: a file as it is, several as an archive. */
async function download(target: Target): Promise<void> {
  if (!('items' in target)) return;
  const [first] = target.items;
  try {
    if (target.items.length > 1) location.assign(await archiveUrl(target.items));
    else if (first) location.assign(first.kind === 'folder' ? folderDownloadUrl(first.path) : downloadUrl(first.path));
  } catch (error) {
    toast(adviceOn(error));
  }
}

/** Does what a key asks for. */
export function useCommands(page: FolderPage, { onHelp, onUpload }: { onHelp(): void; onUpload(): void }) {
  const { address, files, choosing, setSelection, setQuestion, open, act } = page;
  const searchField = useRef<HTMLInputElement>(null);
  const focused = files.get(choosing.focused);
  /** What is chosen, or else what has the focus. */
  const about = (one: 'delete' | 'rename') => {
    if (page.count > 0) return act(one);
    if (focused === undefined) return;
    const kind = focused.kind === 'folder' ? ('folder' as const) : ('file' as const);
    if (one === 'rename') setQuestion({ ask: 'rename', path: focused.path });
    else setQuestion({ ask: 'delete', target: { items: [{ path: focused.path, kind }] } });
  };
  const acts: Readonly<Record<Extract<Command, string>, () => void>> = {
    toggle: () => choosing.choose(choosing.focused, 'toggle'),
    all: page.chooseAll,
    none: () => (page.count === 0 ? address.change({ open: undefined }) : setSelection(NOTHING)),
    open: () => focused && open(focused),
    up: () => address.folder !== '' && address.go(folderOf(address.folder)),
    rename: () => about('rename'),
    delete: () => about('delete'),
    search: () => searchField.current?.focus(),
    upload: onUpload,
    folder: () => setQuestion({ ask: 'folder' }),
    view: () => address.change({ view: address.view === 'grid' ? 'list' : undefined }, true),
    help: onHelp,
  };
  const run = (command: Command) => {
    if (typeof command === 'string') acts[command]();
    else if (command.extends) choosing.choose(command.move, 'range');
  };
  return { run, searchField };
}
