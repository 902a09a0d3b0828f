import { type FocusEvent, type RefObject, useEffect, useRef } from 'react';

/** Overlays that return the focus to the grid. */
const OVER_THE_PAGE = '[role="dialog"], [role="alertdialog"], [role="menu"]';

const isOverThePage = (target: EventTarget | null) =>
  target instanceof Element && target.closest(OVER_THE_PAGE) !== null;

/**
 * Moves the focus to the item that took the index of a removed focused one, also when it was removed under a dialog.
 * React reports no blur for removed elements, and dialogs return the focus only to existing ones.
 * @returns handler of the scroller
 */
export function useRestoredFocus(scroller: RefObject<HTMLDivElement | null>, focused: number) {
  const hasFocus = useRef(false);
  useEffect(() => {
    if (!hasFocus.current || document.activeElement !== document.body) return;
    scroller.current?.querySelector<HTMLElement>(`[data-index="${focused}"]`)?.focus({ preventScroll: true });
  });
  useEffect(() => {
    // React reports no focus that is given while it updates the page.
    const onFocusIn = ({ target }: globalThis.FocusEvent) => {
      const isHere = target instanceof Node && scroller.current?.contains(target);
      if (isHere) hasFocus.current = true;
      else if (!isOverThePage(target)) hasFocus.current = false;
    };
    document.addEventListener('focusin', onFocusIn);
    return () => document.removeEventListener('focusin', onFocusIn);
  }, [scroller]);
  return {
    onBlur: ({ relatedTarget }: FocusEvent) => {
      hasFocus.current = isOverThePage(relatedTarget);
    },
  };
}
