import { useSyncExternalStore } from 'react';

const KEY = 'darkroom-shortcuts';
const listeners = new Set<() => void>();

/** True if single letters are shortcuts. Users of speech input or with a tremor can turn them off (WCAG 2.1.4). */
export function hasShortcuts(): boolean {
  try {
    return localStorage.getItem(KEY) !== 'off';
  } catch {
    return true;
  }
}

/** Stored in this browser only. */
export function setShortcuts(isOn: boolean): void {
  try {
    if (isOn) localStorage.removeItem(KEY);
    else localStorage.setItem(KEY, 'off');
  } catch {
    // Without storage the setting is not persisted.
  }
  for (const notify of listeners) notify();
}

export function useShortcuts(): boolean {
  return useSyncExternalStore((listener) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  }, hasShortcuts);
}
