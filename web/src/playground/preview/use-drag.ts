import { type PointerEvent, useRef } from 'react';
import type { Point } from './geometry.ts';

interface Drag<Start> {
  start: Start;
  from: Point;
}

interface DragHandlers {
  onPointerDown(event: PointerEvent): void;
  onPointerMove(event: PointerEvent): void;
  onPointerUp(event: PointerEvent): void;
  onPointerCancel(event: PointerEvent): void;
}

/**
 * Drags something with mouse, touch or pen. Positions are fractions of the image, which is the nearest `.overlay`.
 * @param begin state at the start, from which every move counts; undefined ignores the drag
 */
export function useDrag<Start>(
  begin: (at: Point) => Start | undefined,
  move: (start: Start, by: Point, at: Point) => void,
): DragHandlers {
  const drag = useRef<Drag<Start>>(undefined);
  const end = () => {
    drag.current = undefined;
  };
  return {
    onPointerDown(event) {
      if (event.button !== 0 || drag.current) return;
      const from = positionOf(event);
      const start = begin(from);
      if (start === undefined) return;
      event.stopPropagation();
      event.currentTarget.setPointerCapture(event.pointerId);
      drag.current = { start, from };
    },
    onPointerMove(event) {
      if (!drag.current) return;
      const { start, from } = drag.current;
      const at = positionOf(event);
      move(start, { x: at.x - from.x, y: at.y - from.y }, at);
    },
    onPointerUp: end,
    onPointerCancel: end,
  };
}

function positionOf({ currentTarget, clientX, clientY }: PointerEvent): Point {
  const { left, top, width, height } = (currentTarget.closest('.overlay') ?? currentTarget).getBoundingClientRect();
  return { x: (clientX - left) / width, y: (clientY - top) / height };
}
