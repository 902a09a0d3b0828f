import { useEffect, useRef } from 'react';
import { OVERLAYS } from '../../components/overlays.ts';
import { hasNewerClip, paste } from '../actions/clipboard.ts';
import type { ChosenFile } from './chosen-files.ts';
import { filesOfPaste } from './pasted-files.ts';

const IN_TEXT = 'input, textarea, select, [contenteditable]';

/**
 * Pastes files of the clipboard, else the items that were copied or cut here. The browser hands over files in an event
 * that follows the key.
 * @param take undefined for people who may not upload
 * @returns pastes items, unless the event arrives in the same turn
 */
export function usePaste(folder: string, take: ((files: readonly ChosenFile[]) => void) | undefined): () => void {
  const pending = useRef<ReturnType<typeof setTimeout>>(undefined);
  const latest = useRef(take);
  latest.current = take;
  useEffect(() => {
    const onPaste = (event: ClipboardEvent) => {
      const isInText = event.target instanceof Element && event.target.closest(IN_TEXT) !== null;
      if (!latest.current || isInText || document.querySelector(OVERLAYS) || hasNewerClip()) return;
      const files = filesOfPaste(event.clipboardData);
      if (files.length === 0) return;
      event.preventDefault();
      clearTimeout(pending.current);
      latest.current(files);
    };
    document.addEventListener('paste', onPaste);
    return () => document.removeEventListener('paste', onPaste);
  }, []);
  return () => {
    pending.current = setTimeout(() => paste(folder));
  };
}
