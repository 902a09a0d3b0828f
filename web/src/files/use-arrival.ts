import { type RefObject, useEffect, useRef } from 'react';
import type { Choosing } from './use-choosing.ts';
import type { Files } from './use-listing.ts';

let from: string | undefined;

/** Says which folder is left for another one. */
export function leave(folder: string): void {
  from = folder;
}

/**
 * Gives the focus to a folder that was gone to: it was on something that is not there any more. Above, it is the folder that was left.
 * @returns the item that wants the focus as soon as it is there
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
