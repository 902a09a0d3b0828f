import { useSyncExternalStore } from 'react';
import { NARROW, PHONE, useMedia } from '../components/use-media.ts';

const KEY = 'darkroom-sidebar';
const listeners = new Set<() => void>();
let chosen: boolean | undefined;

function isChosen(): boolean {
  if (chosen !== undefined) return chosen;
  try {
    chosen = localStorage.getItem(KEY) === 'icons';
  } catch {
    chosen = false;
  }
  return chosen;
}

/** Stored in this browser only. */
export function setCollapsed(isCollapsed: boolean): void {
  chosen = isCollapsed;
  try {
    if (isCollapsed) localStorage.setItem(KEY, 'icons');
    else localStorage.removeItem(KEY);
  } catch {
    // Without storage the choice lasts as long as the page.
  }
  for (const notify of listeners) notify();
}

export interface Sidebar {
  isCollapsed: boolean;
  /** False where there is room for icons only. */
  canChoose: boolean;
}

/** The sidebar shows icons on tablets, and by choice on wider screens. On phones it is a bar with names. */
export function useSidebar(): Sidebar {
  const isNarrow = useMedia(NARROW);
  const isPhone = useMedia(PHONE);
  const isCollapsed = useSyncExternalStore((listener) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  }, isChosen);
  return { isCollapsed: !isPhone && (isNarrow || isCollapsed), canChoose: !isNarrow };
}
