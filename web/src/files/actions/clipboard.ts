import { useSyncExternalStore } from 'react';
import type { Target } from '../../api/targets/targets.ts';
import { toast } from '../../components/toasts.tsx';
import { messages } from '../../messages/en.ts';
import { sizeOf } from '../selection.ts';
import { work } from './work.ts';

/** Copied or cut items. */
export interface Clip {
  action: 'copy' | 'cut';
  /** Source folder; undefined for search results. */
  folder: string | undefined;
  target: Target;
  /** True if it contains an item of that folder. */
  has(path: string, index: number): boolean;
}

let clip: Clip | undefined;
const listeners = new Set<() => void>();

function set(next: Clip | undefined): void {
  clip = next;
  for (const notify of listeners) notify();
}

/** Current clipboard; it survives navigation. */
export function useClip(): Clip | undefined {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => clip,
  );
}

export const clearClip = () => set(undefined);

export function hold(next: Clip): void {
  set(next);
  toast(messages.files.held[next.action](sizeOf(next.target)));
}

/** Pastes into a folder. Cut items are moved and leave the clipboard. */
export function paste(folder: string): void {
  if (clip === undefined) {
    toast(messages.files.nothingHeld);
    return;
  }
  const { action, target } = clip;
  if (action === 'copy') {
    void work({ action: 'copy', destination: folder }, target);
  } else if (folder === clip.folder) {
    toast(messages.files.isHere);
  } else {
    clearClip();
    void work({ action: 'move', destination: folder }, target);
  }
}
