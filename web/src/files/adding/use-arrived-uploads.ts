import { type RefObject, useCallback, useEffect, useRef, useState } from 'react';
import { queryClient } from '../../api/query-client.ts';
import type { Item } from '../../api/targets/targets.ts';
import type { Upload } from '../../api/uploads/queue.ts';
import { uploadQueue } from '../../api/uploads/uploads.ts';
import { join } from '../entry.ts';
import { countOf, NOTHING } from '../selection.ts';
import type { FolderPage } from '../use-folder-page.ts';

/** Uploads of this page that have not been shown, and where the person was when they began. */
interface Pending {
  uploads: readonly Upload[];
  scrollTop: number;
  /** No upload before this index is unfinished. */
  next: number;
}

const isOver = (upload: Upload | undefined) => upload?.state !== 'waiting' && upload?.state !== 'sending';

const scrollTopIn = (section: RefObject<HTMLElement | null>) =>
  section.current?.querySelector('.files-scroll')?.scrollTop ?? 0;

/**
 * Selects files that were uploaded to the shown folder once all have arrived, and brings the first into view. The focus
 * stays, and nothing happens where the person has gone on to something else.
 * @returns called with new uploads
 */
export function useArrivedUploads(
  section: RefObject<HTMLElement | null>,
  page: FolderPage,
): (uploads: readonly Upload[]) => void {
  const pending = useRef<Pending>(undefined);
  const latest = useRef(page);
  latest.current = page;
  const [arrived, setArrived] = useState<Pending>();
  useEffect(() => {
    let isShown = true;
    const unsubscribe = uploadQueue.subscribe(() => {
      const batch = pending.current;
      if (batch === undefined) return;
      while (batch.next < batch.uploads.length && isOver(batch.uploads[batch.next])) batch.next++;
      if (batch.next < batch.uploads.length) return;
      pending.current = undefined;
      if (!batch.uploads.some(({ path }) => path !== undefined)) return;
      void queryClient.invalidateQueries({ queryKey: ['files', 'listing'] }).then(() => isShown && setArrived(batch));
    });
    return () => {
      isShown = false;
      unsubscribe();
    };
  }, []);
  useEffect(() => {
    if (arrived !== undefined) void select(arrived, section, latest);
  }, [arrived, section]);
  return useCallback(
    (added) => {
      // Files dropped on a folder go into it.
      const uploads = added.filter(({ folder }) => folder === latest.current.address.folder);
      const { uploads: others = [], next = 0 } = pending.current ?? {};
      pending.current = { uploads: [...others, ...uploads], next, scrollTop: scrollTopIn(section) };
    },
    [section],
  );
}

async function select(
  { uploads, scrollTop }: Pending,
  section: RefObject<HTMLElement | null>,
  latest: RefObject<FolderPage>,
): Promise<void> {
  const { folder } = latest.current.address;
  const paths = pathsIn(folder, uploads);
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
  const isElsewhere = countOf(selection, files.count) > 0 || address.opened !== undefined || dialog !== undefined;
  if (isElsewhere || address.search !== undefined || address.order.kind !== undefined) return;
  setSelection({ ...NOTHING, items });
  if (first === undefined || scrollTopIn(section) !== scrollTop) return;
  if (document.activeElement?.closest('[data-index]') == null) choosing.setFocused(first);
  reveal(first);
}

/** Paths of the uploaded items in a folder: files, and folders that came with theirs. */
function pathsIn(folder: string, uploads: readonly Upload[]): ReadonlySet<string> {
  const start = folder === '' ? 0 : folder.length + 1;
  const stored = uploads.flatMap(({ path }) => path ?? []);
  return new Set(stored.map((path) => join(folder, path.slice(start).split('/', 1)[0] ?? '')));
}
