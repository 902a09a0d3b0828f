import { type RefObject, useEffect, useRef } from 'react';
import type { Choosing } from './use-choosing.ts';
import type { Files } from './use-listing.ts';

let from: string | undefined;

/** Records the folder that is left. */
export function leave(folder: string): void {
  from = folder;
}

/**
 * Focuses the grid after navigation, because the previously focused element was removed. In a parent folder, focuses
 * the folder that was left.
 * @returns index of the item to focus once rendered
 */
export function useArrival(
  section: RefObject<HTMLElement | null>,
  files: Files,
  { setFocused }: Choosing,
): RefObject<number | undefined> {
  const left = useRef(from);
  const pendingFocus = useRef<number>(undefined);
  const hasArrived = files.count > 0 || !files.isPending;
  const latest = useRef(files);
  latest.current = files;
  useEffect(() => {
    from = undefined;
    if (left.current === undefined || !hasArrived) return;
    const index = latest.current.find(0, ({ path }) => path === left.current) ?? 0;
    left.current = undefined;
    if (document.activeElement !== document.body) return;
    if (latest.current.count === 0) return section.current?.focus();
    pendingFocus.current = index;
    setFocused(index);
  }, [hasArrived, setFocused, section]);
  return pendingFocus;
}
