import { useEffect, useState } from 'react';

/** Open state of the palette. Ctrl+K works everywhere except over another dialog. */
export function usePaletteKey() {
  const [isOpen, setOpen] = useState(false);
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (!(event.ctrlKey || event.metaKey) || event.shiftKey || event.altKey || event.key.toLowerCase() !== 'k')
        return;
      event.preventDefault();
      if (document.querySelector('.shade:not(.is-finder)') === null) setOpen((old) => !old);
    };
    document.addEventListener('keydown', onKeyDown, true);
    return () => document.removeEventListener('keydown', onKeyDown, true);
  }, []);
  return { isOpen, open: () => setOpen(true), close: () => setOpen(false) };
}
