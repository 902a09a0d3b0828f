import { type PointerEvent as ReactPointerEvent, type RefObject, useEffect, useRef, useState } from 'react';
import { type Range, rangesOf } from '../../api/targets/ranges.ts';
import { blockOf, type Point, pull } from './band.ts';
import type { Layout } from './use-layout.ts';
import type { Rows } from './use-rows.ts';

/** Selection by a rectangle. */
export interface BandActions {
  /** @param keeps retains the existing selection */
  begin(keeps: boolean): void;
  choose(ranges: readonly Range[]): void;
  /** Restores the previous selection. */
  cancel(): void;
}

interface BandOptions {
  scroller: RefObject<HTMLElement | null>;
  rows: Rows;
  layout: Layout;
  count: number;
  actions: BandActions;
}

/** Pixels in the box of rows. */
export interface Rectangle {
  left: number;
  top: number;
  width: number;
  height: number;
}

/** Minimum distance that distinguishes a drag from a click. */
const SLOP = 5;

/**
 * Rubber-band selection with the mouse, from empty ground. It selects by index, so items need not have arrived.
 * Keyboard equivalent: Shift with movement keys.
 */
export function useBand(options: BandOptions) {
  const [rectangle, setRectangle] = useState<Rectangle>();
  const latest = useRef(options);
  latest.current = options;
  const stop = useRef<() => void>(undefined);
  useEffect(() => () => stop.current?.(), []);
  const onPointerDown = (event: ReactPointerEvent<HTMLElement>) => {
    const element = options.scroller.current;
    if (!element || event.pointerType !== 'mouse' || event.button !== 0 || event.shiftKey) return;
    // Ignore the scroll bar.
    if (event.clientX > element.getBoundingClientRect().left + element.clientWidth) return;
    stop.current?.();
    stop.current = draw(element, event.nativeEvent, latest, setRectangle);
  };
  return { rectangle, onPointerDown };
}

/** Draws until the button is released. @returns cancels */
function draw(
  element: HTMLElement,
  begun: PointerEvent,
  latest: RefObject<BandOptions>,
  show: (rectangle: Rectangle | undefined) => void,
): () => void {
  const drawing = new Drawing(element, begun, latest, show);
  const onMove = (event: PointerEvent) => drawing.move(event);
  const end = () => {
    drawing.end();
    removeEventListener('pointermove', onMove);
    removeEventListener('pointerup', end);
    removeEventListener('pointercancel', cancel);
    removeEventListener('keydown', onKey, true);
  };
  const cancel = () => {
    if (drawing.hasBegun) latest.current.actions.cancel();
    end();
  };
  const onKey = (event: KeyboardEvent) => {
    if (event.key !== 'Escape' || !drawing.hasBegun) return;
    event.stopPropagation();
    cancel();
  };
  addEventListener('pointermove', onMove);
  addEventListener('pointerup', end);
  addEventListener('pointercancel', cancel);
  addEventListener('keydown', onKey, true);
  return end;
}

/** A rectangle being drawn. Its start is a position in the list, so it scrolls along. */
class Drawing {
  hasBegun = false;
  readonly #element: HTMLElement;
  readonly #begun: PointerEvent;
  readonly #latest: RefObject<BandOptions>;
  readonly #show: (rectangle: Rectangle | undefined) => void;
  readonly #start: Point;
  #pointer: PointerEvent;
  #chosen = '';
  #frame = 0;

  constructor(
    element: HTMLElement,
    begun: PointerEvent,
    latest: RefObject<BandOptions>,
    show: (rectangle: Rectangle | undefined) => void,
  ) {
    this.#element = element;
    this.#begun = begun;
    this.#pointer = begun;
    this.#latest = latest;
    this.#show = show;
    this.#start = this.#point();
  }

  move(pointer: PointerEvent): void {
    const { clientX, clientY, ctrlKey, metaKey } = this.#begun;
    this.#pointer = pointer;
    if (!this.hasBegun && Math.hypot(pointer.clientX - clientX, pointer.clientY - clientY) < SLOP) return;
    if (!this.hasBegun) {
      this.hasBegun = true;
      // The final click must not hit an item.
      this.#element.setPointerCapture(pointer.pointerId);
      this.#latest.current.actions.begin(ctrlKey || metaKey);
      this.#frame = requestAnimationFrame(this.#scroll);
    }
    this.#update();
  }

  end(): void {
    cancelAnimationFrame(this.#frame);
    this.#show(undefined);
  }

  /** Pointer position in the list. */
  #point(): Point {
    const { left, top } = this.#element.getBoundingClientRect();
    return { x: this.#pointer.clientX - left, y: this.#pointer.clientY - top + this.#latest.current.rows.top() };
  }

  #update(): void {
    const { rows, layout, count, actions } = this.#latest.current;
    const end = this.#point();
    this.#show(rectangleOf(this.#start, end, rows, this.#element));
    const block = blockOf(this.#start, end, layout, Math.ceil(count / layout.columns));
    const chosen = JSON.stringify(block);
    if (chosen === this.#chosen) return;
    this.#chosen = chosen;
    actions.choose(block ? rangesOf(block, layout.columns, count) : []);
  }

  readonly #scroll = (): void => {
    const { top } = this.#element.getBoundingClientRect();
    const pixels = pull(this.#pointer.clientY - top, this.#element.clientHeight);
    if (pixels !== 0) {
      this.#latest.current.rows.scrollBy(pixels);
      this.#update();
    }
    this.#frame = requestAnimationFrame(this.#scroll);
  };
}

/** Visible part of the rectangle, which may be as high as the list. */
function rectangleOf(one: Point, other: Point, rows: Rows, { clientWidth, clientHeight }: HTMLElement): Rectangle {
  const above = rows.top();
  const shift = rows.startOf(0);
  const within = (value: number, least: number, most: number) => Math.max(least, Math.min(most, value));
  const left = within(Math.min(one.x, other.x), 0, clientWidth);
  const top = within(Math.min(one.y, other.y), above, above + clientHeight);
  const right = within(Math.max(one.x, other.x), 0, clientWidth);
  const bottom = within(Math.max(one.y, other.y), above, above + clientHeight);
  return { left, top: top + shift, width: right - left, height: bottom - top };
}
