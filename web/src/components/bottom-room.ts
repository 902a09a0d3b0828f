import { useSyncExternalStore } from 'react';

/** Pixels at the bottom of the pages that a panel covers. Pages can be scrolled further by them. */
let room = 0;
const listeners = new Set<() => void>();

/** Also sets `--bottom-room` for style sheets. */
export function setBottomRoom(pixels: number): void {
  if (pixels === room) return;
  room = pixels;
  document.documentElement.style.setProperty('--bottom-room', `${pixels}px`);
  for (const notify of listeners) notify();
}

export function useBottomRoom(): number {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => room,
  );
}
