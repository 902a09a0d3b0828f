import { type PointerEvent, useRef } from 'react';

/** Pixels; less is no swipe. */
const DISTANCE = 80;

/** Parts that are drawn, played or typed in by touch. */
const TOUCHED = 'input, textarea, audio, video, .is-aiming';

/** Handlers that close a sheet by a swipe to the right; it follows the finger. */
export function useSwipeToClose(onClose: () => void) {
  const begun = useRef<number>(undefined);
  const end = ({ currentTarget }: PointerEvent<HTMLElement>) => {
    begun.current = undefined;
    currentTarget.style.translate = '';
  };
  return {
    onPointerDown({ pointerType, isPrimary, target, clientX }: PointerEvent<HTMLElement>) {
      const isTouch = pointerType === 'touch' && isPrimary;
      if (isTouch && target instanceof Element && !target.closest(TOUCHED)) begun.current = clientX;
    },
    onPointerMove({ currentTarget, clientX }: PointerEvent<HTMLElement>) {
      if (begun.current !== undefined) currentTarget.style.translate = `${Math.max(0, clientX - begun.current)}px`;
    },
    onPointerUp(event: PointerEvent<HTMLElement>) {
      const isSwipe = begun.current !== undefined && event.clientX - begun.current > DISTANCE;
      end(event);
      if (isSwipe) onClose();
    },
    // The browser scrolls instead.
    onPointerCancel: end,
  };
}
