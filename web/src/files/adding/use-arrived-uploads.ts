import { type RefObject, useCallback, useEffect, useRef, useState } from 'react';
import { join } from '../../api/paths.ts';
import { queryClient } from '../../api/query-client.ts';
import type { Item } from '../../api/targets/targets.ts';
import { firstUnfinished, type Upload } from '../../api/uploads/upload.ts';
import { uploadQueue } from '../../api/uploads/uploads.ts';
import { countOf, given } from '../selection.ts';
import type { FolderPage } from '../use-folder-page.ts';

/** Uploads of this page that have not been shown, and where the person was when they began. */
interface Pending {
  uploads: readonly Upload[];
  /** Paths of files that stay instead of a new one. */
  skipped: readonly string[];
  scrollTop: number;
  /** No upload before this index is unfinished. */
  next: number;
}

const scrollTopIn = (section: RefObject<HTMLElement | null>) =>
  section.current?.querySelector('.files-scroll')?.scrollTop ?? 0;

/**
 * Selects files that were uploaded to the shown folder, or are there already, once all have arrived, and brings the
 * first into view. The focus stays, and nothing happens where the person has gone on to something else.
 * @returns called with new uploads, and paths of files that stay instead of one
 */
export function useArrivedUploads(
  section: RefObject<HTMLElement | null>,
  page: FolderPage,
): (uploads: readonly Upload[], skipped: readonly string[]) => void {
  const pending = useRef<Pending>(undefined);
  const latest = useRef(page);
  latest.current = page;
  const [arrived, setArrived] = useState<Pending>();
  const isShown = useRef(false);
  const settle = useCallback(() => {
    const batch = pending.current;
    if (batch === undefined) return;
    batch.next = firstUnfinished(batch.uploads, batch.next);
    if (batch.next < batch.uploads.length) return;
    pending.current = undefined;
    if (batch.skipped.length === 0 && !batch.uploads.some(({ path }) => path !== undefined)) return;
    void queryClient
      .invalidateQueries({ queryKey: ['files', 'listing'] })
      .then(() => isShown.current && setArrived(batch));
  }, []);
  useEffect(() => {
    isShown.current = true;
    const unsubscribe = uploadQueue.subscribe(settle);
    return () => {
      isShown.current = false;
      unsubscribe();
    };
  }, [settle]);
  useEffect(() => {
    if (arrived !== undefined) void select(arrived, section, latest);
  }, [arrived, section]);
  return useCallback(
    (added, skipped) => {
      // Files dropped on a folder go into it.
      const uploads = added.filter(({ folder }) => folder === latest.current.address.folder);
      const before = pending.current;
      pending.current = {
        uploads: [...(before?.uploads ?? []), ...uploads],
        skipped: [...(before?.skipped ?? []), ...skipped],
        next: before?.next ?? 0,
        scrollTop: scrollTopIn(section),
      };
      settle();
    },
    [section, settle],
  );
}

async function select(
  { uploads, skipped, scrollTop }: Pending,
  section: RefObject<HTMLElement | null>,
  latest: RefObject<FolderPage>,
): Promise<void> {
  const { folder } = latest.current.address;
  const paths = pathsIn(folder, [...uploads.flatMap(({ path }) => path ?? []), ...skipped]);
  const items = new Map(Array.from(paths, (path) => [path, { kind: 'file' as Item['kind'], index: -1 }]));
  let first = latest.current.files.find(0, ({ kind, path }, index) => {
    if (!paths.has(path)) return false;
    items.set(path, { kind: kind === 'folder' ? 'folder' : 'file', index });
    return true;
  });
  if (first === undefined) {
    // In a large folder, items out of view have not been requested.
    const [path = ''] = paths;
    const name = path.slice(folder === '' ? 0 : folder.length + 1);
    first = await latest.current.files.seek(name).catch(() => undefined);
  }
  const { selection, setSelection, address, dialog, files, choosing, reveal } = latest.current;
  const hasChosen = !selection.isGiven && countOf(selection, files.count) > 0;
  const isElsewhere = hasChosen || address.opened !== undefined || dialog !== undefined;
  if (isElsewhere || address.search !== undefined || address.order.kind !== undefined) return;
  setSelection(given(items));
  if (first === undefined || scrollTopIn(section) !== scrollTop) return;
  if (document.activeElement?.closest('[data-index]') == null) choosing.setFocused(first);
  reveal(first);
}

/** Items of a folder that are files, or contain them: folders came with theirs. */
function pathsIn(folder: string, stored: readonly string[]): ReadonlySet<string> {
  const start = folder === '' ? 0 : folder.length + 1;
  return new Set(stored.map((path) => join(folder, path.slice(start).split('/', 1)[0] ?? '')));
}
