import { type FocusEvent, type RefObject, useEffect, useRef } from 'react';

/** What is over the page for a time, and gives the focus back to the item that had it. */
const OVER_THE_PAGE = '[role="dialog"], [role="alertdialog"], [role="menu"]';

const isOverThePage = (target: EventTarget | null) =>
  target instanceof Element && target.closest(OVER_THE_PAGE) !== null;

/**
 * An item may be taken away while it has the focus, or while a dialog or menu has it that was opened from it: the item in its place
 * gets it. React reports no blur for an element that is removed, and a dialog gives the focus back only to an element that is still
 * there.
 * @returns what the scroller listens to
 */
export function useRestoredFocus(scroller: RefObject<HTMLDivElement | null>, focused: number) {
  const hasFocus = useRef(false);
  useEffect(() => {
    if (!hasFocus.current || document.activeElement !== document.body) return;
    scroller.current?.querySelector<HTMLElement>(`[data-index="${focused}"]`)?.focus({ preventScroll: true });
  });
  useEffect(() => {
    const onFocusIn = ({ target }: globalThis.FocusEvent) => {
      const isHere = target instanceof Node && scroller.current?.contains(target);
      if (!isHere && !isOverThePage(target)) hasFocus.current = false;
    };
    document.addEventListener('focusin', onFocusIn);
    return () => document.removeEventListener('focusin', onFocusIn);
  }, [scroller]);
  return {
    onFocus: () => {
      hasFocus.current = true;
    },
    onBlur: ({ relatedTarget }: FocusEvent) => {
      hasFocus.current = isOverThePage(relatedTarget);
    },
  };
}
