import { type PointerEvent, useRef } from 'react';

/** Pixels. */
const SWIPE = 60;

/** Direction of a swipe: to the next (1) or the previous (-1) file; undefined for short and steep moves. */
export function swipeOf(x: number, y: number): 1 | -1 | undefined {
  if (Math.abs(x) <= SWIPE || Math.abs(x) <= 1.5 * Math.abs(y)) return undefined;
  return x < 0 ? 1 : -1;
}

/** Swipe over a file that has no gestures of its own, but not over the lower part of a player, where its controls are. */
export function useSwipe(onStep: (by: 1 | -1) => void) {
  const start = useRef<{ x: number; y: number }>(undefined);
  return {
    onPointerDown({ pointerType, target, clientX, clientY }: PointerEvent) {
      start.current = undefined;
      if (pointerType === 'mouse' || !(target instanceof Element) || target.closest('audio, canvas, .waveform')) return;
      const { bottom } = target.getBoundingClientRect();
      if (target instanceof HTMLVideoElement && clientY > bottom - 90) return;
      start.current = { x: clientX, y: clientY };
    },
    onPointerUp({ clientX, clientY }: PointerEvent) {
      if (!start.current) return;
      const by = swipeOf(clientX - start.current.x, clientY - start.current.y);
      start.current = undefined;
      if (by) onStep(by);
    },
    onPointerCancel() {
      start.current = undefined;
    },
  };
}
