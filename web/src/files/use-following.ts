import { useCallback, useEffect, useRef, useState } from 'react';
import type { FilesAddress } from './address.ts';
import type { Choosing } from './use-choosing.ts';
import type { Files } from './use-listing.ts';

/** Pause after the last key: nothing is requested for files passed on the way. */
const REST_MS = 100;

/**
 * Moves the open details panel along with the focus. Folders have no details: the panel keeps the last file.
 * @returns called with the index of the item that a key has moved to
 */
export function useFollowing({ opened, change }: FilesAddress, files: Files): (index: number) => void {
  const [moved, setMoved] = useState<{ index: number; from: string }>();
  // A file that was opened meanwhile stays.
  const entry = moved !== undefined && moved.from === opened ? files.get(moved.index) : undefined;
  const path = entry?.kind === 'folder' ? undefined : entry?.path;
  useEffect(() => {
    if (path === undefined || path === opened) return;
    const timer = setTimeout(() => {
      setMoved(undefined);
      change({ open: path }, true);
    }, REST_MS);
    return () => clearTimeout(timer);
  }, [path, opened, change]);
  return useCallback((index) => setMoved(opened === undefined ? undefined : { index, from: opened }), [opened]);
}

/** Puts the opened file into the tab order of the grid: closing the details returns the focus to it. */
export function useOpenedFocus({ opened }: FilesAddress, files: Files, { setFocused }: Choosing): void {
  const hasArrived = files.count > 0;
  const latest = useRef(files);
  latest.current = files;
  useEffect(() => {
    const isInGrid = document.activeElement?.hasAttribute('data-index') ?? false;
    if (opened === undefined || !hasArrived || isInGrid) return;
    const index = latest.current.find(0, ({ path }) => path === opened);
    if (index !== undefined) setFocused(index);
  }, [opened, hasArrived, setFocused]);
}
