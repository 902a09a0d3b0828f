import { type RefObject, useEffect, useRef } from 'react';

/**
 * An item may be taken away while it has the focus: the one in its place gets it. React tells of no blur in that case.
 * @returns what the scroller listens to
 */
export function useKeptFocus(scroller: RefObject<HTMLDivElement | null>, focused: number) {
  const hasFocus = useRef(false);
  useEffect(() => {
    if (!hasFocus.current || document.activeElement !== document.body) return;
    scroller.current?.querySelector<HTMLElement>(`[data-index="${focused}"]`)?.focus({ preventScroll: true });
  });
  return {
    onFocus: () => {
      hasFocus.current = true;
    },
    onBlur: () => {
      hasFocus.current = false;
    },
  };
}
