import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { useBottomRoom } from '../../components/bottom-room.ts';
import { boxHeight, boxOffset, type Scroll, scrolled } from './scaled-scroll.ts';

/** Pause after which scrolling counts as ended. */
const REST_MS = 150;
/** Extra rows rendered above and below the viewport. */
const SPARE = 3;
/** Pixels below the last row. */
const FOOT = 16;

interface RowsOptions {
  scroller: RefObject<HTMLElement | null>;
  count: number;
  /** Pixels. */
  rowHeight: number;
  /** Height of the header in pixels, and if it is sticky. */
  head: number;
  isHeadSticky: boolean;
  /** Row that stays rendered when scrolled out: it is in the tab order. */
  retained: number;
}

interface View {
  first: number;
  last: number;
  /** Offset between list and box, in pixels. */
  shift: number;
  /** Height of the viewport in pixels. */
  window: number;
}

export interface Rows {
  /** Rendered rows. */
  shown: readonly number[];
  /** Rows in the viewport. */
  range: readonly [first: number, last: number];
  /** Height of the viewport for this range, in pixels. */
  window: number;
  isScrolling: boolean;
  /** Height of the box in pixels. */
  height: number;
  /** Pixels from the start of the box. */
  startOf(row: number): number;
  /** Scrolls the minimum distance to reveal a row. */
  show(row: number): void;
  scrollBy(pixels: number): void;
  /** Pixels of the list above the viewport, without the header. */
  top(): number;
}

/** Virtual rows of equal height; none is measured. */
export function useRows(options: RowsOptions): Rows {
  const { count, rowHeight, head, isHeadSticky, retained } = options;
  const [isScrolling, setScrolling] = useState(false);
  const room = useBottomRoom();
  const { at, view, heights, goTo, onScroll } = useWindow(options, room);
  useScrolling(options.scroller, setScrolling, onScroll);
  return {
    shown: rowsAround(view, count, retained),
    range: [view.first, view.last],
    window: view.window,
    isScrolling,
    height: boxHeight(heights()) - head,
    startOf: (row) => row * rowHeight + view.shift,
    show: (row) => {
      const { top } = at.current;
      const start = row * rowHeight + (isHeadSticky ? 0 : head);
      const end = head + (row + 1) * rowHeight + room - heights().window;
      if (start < top) goTo(row === 0 ? 0 : start);
      // In a low window both do not fit.
      else if (end > top) goTo(Math.min(start, end));
    },
    scrollBy: (pixels) => goTo(at.current.top + pixels),
    top: () => at.current.top - head,
  };
}

/** Visible rows and scrolling. @param room pixels that a panel covers below the last row */
function useWindow({ scroller, count, rowHeight, head }: RowsOptions, room: number) {
  const total = head + count * rowHeight + FOOT + room;
  const at = useRef<Scroll>({ top: 0, scrollTop: 0 });
  const [view, setView] = useState<View>({ first: 0, last: 0, shift: 0, window: 0 });
  const heights = useCallback(() => ({ total, window: scroller.current?.clientHeight ?? 0 }), [total, scroller]);
  const updateView = useCallback(() => {
    const { top, scrollTop } = at.current;
    const rowAt = (pixels: number) => Math.max(0, Math.min(count - 1, Math.floor((pixels - head) / rowHeight)));
    const { window } = heights();
    const next: View = { first: rowAt(top), last: rowAt(top + window), shift: scrollTop - top, window };
    const isSame = (old: View) => (Object.keys(next) as (keyof View)[]).every((key) => old[key] === next[key]);
    setView((old) => (isSame(old) ? old : next));
  }, [count, rowHeight, head, heights]);
  useLayoutEffect(() => {
    if (!scroller.current) return;
    updateView();
    const observer = new ResizeObserver(updateView);
    observer.observe(scroller.current);
    return () => observer.disconnect();
  }, [scroller, updateView]);
  const goTo = (top: number) => {
    if (!scroller.current) return;
    scroller.current.scrollTop = boxOffset(heights(), top);
    at.current = { top: Math.max(0, Math.min(total - heights().window, top)), scrollTop: scroller.current.scrollTop };
    updateView();
  };
  const onScroll = () => {
    const element = scroller.current;
    // Ignore the event of our own write.
    if (!element || element.scrollTop === at.current.scrollTop) return;
    const next = scrolled(at.current, element.scrollTop, heights());
    if (next.scrollTop !== element.scrollTop) element.scrollTop = next.scrollTop;
    at.current = { top: next.top, scrollTop: element.scrollTop };
    updateView();
  };
  return { at, view, heights, goTo, onScroll };
}

function rowsAround({ first, last }: View, count: number, retained: number): number[] {
  const from = Math.max(0, first - SPARE);
  const to = Math.min(count - 1, last + SPARE);
  const rows = Array.from({ length: Math.max(0, to - from + 1) }, (_, at) => from + at);
  if (retained >= count || (retained >= from && retained <= to)) return rows;
  return retained < from ? [retained, ...rows] : [...rows, retained];
}

/** Reports scrolling, its start and its end. */
function useScrolling(
  scroller: RefObject<HTMLElement | null>,
  setScrolling: (isScrolling: boolean) => void,
  onScroll: () => void,
): void {
  const latest = useRef(onScroll);
  latest.current = onScroll;
  useEffect(() => {
    const element = scroller.current;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const listener = () => {
      latest.current();
      setScrolling(true);
      clearTimeout(timer);
      timer = setTimeout(() => setScrolling(false), REST_MS);
    };
    element?.addEventListener('scroll', listener, { passive: true });
    return () => {
      clearTimeout(timer);
      element?.removeEventListener('scroll', listener);
    };
  }, [scroller, setScrolling]);
}
