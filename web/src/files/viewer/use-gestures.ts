import { type PointerEvent, type RefObject, useEffect, useRef } from 'react';
import { swipeOf } from './use-swipe.ts';
import type { Point } from './zoom.ts';
import { wheelFactor } from './zoom.ts';

interface GestureActions {
  /** True if a drag moves the image. */
  isZoomed: boolean;
  panBy(x: number, y: number): void;
  /** @param at from the centre of the stage */
  zoomBy(factor: number, at: Point): void;
  /** Double click or double tap. */
  toggle(at: Point): void;
  /** Sideways position of a swipe in pixels; 0 after it has ended. */
  onSlide(x: number): void;
  /** Swipe to the next (1) or previous (-1) file. */
  onSwipe(by: 1 | -1): void;
}

/** Pixels. */
const TAP = 8;
/** Between two taps. */
const DOUBLE_MS = 350;

interface Tap extends Point {
  time: number;
}

/** Drag, swipe, pinch, wheel and double tap on a stage. */
export function useGestures(stage: RefObject<HTMLElement | null>, actions: GestureActions) {
  const latest = useRef(actions);
  latest.current = actions;
  const pointers = useRef(new Map<number, Point>());
  const start = useRef<Point>({ x: 0, y: 0 });
  /** True once the fingers have pinched or dragged the image: their release is no swipe. */
  const wasMoved = useRef(false);
  const lastTap = useRef<Tap>(undefined);
  const centred = ({ x, y }: Point): Point => {
    const { left = 0, top = 0, width = 0, height = 0 } = stage.current?.getBoundingClientRect() ?? {};
    return { x: x - left - width / 2, y: y - top - height / 2 };
  };
  const toCentre = useRef(centred);
  toCentre.current = centred;
  useEffect(() => {
    const element = stage.current;
    const onWheel = (event: WheelEvent) => {
      // React's listener is passive, and a pinch on a touchpad would zoom the page.
      event.preventDefault();
      latest.current.zoomBy(wheelFactor(event), toCentre.current({ x: event.clientX, y: event.clientY }));
    };
    element?.addEventListener('wheel', onWheel, { passive: false });
    return () => element?.removeEventListener('wheel', onWheel);
  }, [stage]);

  const onTap = (at: Point, time: number) => {
    const last = lastTap.current;
    const isDouble = last && time - last.time < DOUBLE_MS && Math.hypot(at.x - last.x, at.y - last.y) < 4 * TAP;
    lastTap.current = isDouble ? undefined : { ...at, time };
    if (isDouble) latest.current.toggle(centred(at));
  };
  const onPinch = (before: readonly Point[], after: readonly Point[]) => {
    const distance = ([a, b]: readonly Point[]) => (a && b ? Math.hypot(a.x - b.x, a.y - b.y) : 1);
    const middle = ([a, b]: readonly Point[]) => (a && b ? { x: (a.x + b.x) / 2, y: (a.y + b.y) / 2 } : { x: 0, y: 0 });
    const from = middle(before);
    const to = middle(after);
    latest.current.zoomBy(distance(after) / Math.max(1, distance(before)), centred(to));
    latest.current.panBy(to.x - from.x, to.y - from.y);
  };
  const end = (event: PointerEvent, isCancelled: boolean) => {
    if (!pointers.current.delete(event.pointerId) || pointers.current.size > 0) return;
    latest.current.onSlide(0);
    const x = event.clientX - start.current.x;
    const y = event.clientY - start.current.y;
    if (isCancelled || wasMoved.current) return;
    if (Math.hypot(x, y) < TAP) onTap({ x: event.clientX, y: event.clientY }, event.timeStamp);
    else {
      const by = event.pointerType === 'mouse' ? undefined : swipeOf(x, y);
      if (by) latest.current.onSwipe(by);
    }
  };
  return {
    onPointerDown(event: PointerEvent) {
      if (event.button !== 0) return;
      event.currentTarget.setPointerCapture(event.pointerId);
      if (pointers.current.size === 0) {
        start.current = { x: event.clientX, y: event.clientY };
        wasMoved.current = false;
      }
      pointers.current.set(event.pointerId, { x: event.clientX, y: event.clientY });
    },
    onPointerMove(event: PointerEvent) {
      const old = pointers.current.get(event.pointerId);
      if (!old) return;
      const before = [...pointers.current.values()];
      pointers.current.set(event.pointerId, { x: event.clientX, y: event.clientY });
      const x = event.clientX - start.current.x;
      if (before.length === 2) {
        wasMoved.current = true;
        onPinch(before, [...pointers.current.values()]);
      } else if (latest.current.isZoomed) {
        if (Math.hypot(x, event.clientY - start.current.y) >= TAP) wasMoved.current = true;
        latest.current.panBy(event.clientX - old.x, event.clientY - old.y);
      } else if (event.pointerType !== 'mouse' && !wasMoved.current) latest.current.onSlide(x);
    },
    onPointerUp: (event: PointerEvent) => end(event, false),
    onPointerCancel: (event: PointerEvent) => end(event, true),
  };
}
