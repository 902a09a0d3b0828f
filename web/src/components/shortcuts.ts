import { useSyncExternalStore } from 'react';

const KEY = 'darkroom-shortcuts';
const listeners = new Set<() => void>();

/** Whether single letters are commands. Somebody who talks to the computer, or has a tremor, may not want that (WCAG 2.1.4). */
export function hasShortcuts(): boolean {
  try {
    return localStorage.getItem(KEY) !== 'off';
  } catch {
    return true;
  }
}

/** It is kept in this browser. */
export function setShortcuts(isOn: boolean): void {
  try {
    if (isOn) localStorage.removeItem(KEY);
    else localStorage.setItem(KEY, 'off');
  } catch {
    // A browser without storage keeps nothing.
  }
  for (const notify of listeners) notify();
}

export function useShortcuts(): boolean {
  return useSyncExternalStore((listener) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  }, hasShortcuts);
}
