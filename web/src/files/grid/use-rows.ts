import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { boxHeight, boxOffset, type Scroll, scrolled } from './scaled-scroll.ts';

/** After so long without scrolling it rests. */
const REST_MS = 150;
/** Rows above and below those in view that are there too. */
const SPARE = 3;
/** Pixels below the last row. */
const FOOT = 16;

interface RowsOptions {
  scroller: RefObject<HTMLElement | null>;
  count: number;
  /** Pixels. */
  rowHeight: number;
  /** What stands above the first row, in pixels, and whether it stays when the others scroll. */
  head: number;
  isHeadSticky: boolean;
  /** The row that stays, however far it has scrolled out: the tab key comes back to it. */
  retained: number;
}

interface View {
  first: number;
  last: number;
  /** Pixels between a place in the list and in its box. */
  shift: number;
}

export interface Rows {
  /** The rows that are there. */
  shown: readonly number[];
  /** Those in view. */
  range: readonly [first: number, last: number];
  isScrolling: boolean;
  /** Pixels of the box that they are in. */
  height: number;
  /** Pixels from the start of the box. */
  startOf(row: number): number;
  /** Scrolls as little as has to be for a row to be seen. */
  show(row: number): void;
  scrollBy(pixels: number): void;
  /** Pixels of the list, its head left out, that are above the window. */
  top(): number;
}

/** Rows of one height, any number of them: only those in view are there, and none is measured. */
export function useRows(options: RowsOptions): Rows {
  const { count, rowHeight, head, isHeadSticky, retained } = options;
  const [isScrolling, setScrolling] = useState(false);
  const { at, view, heights, goTo, onScroll } = useWindow(options);
  useScrolling(options.scroller, setScrolling, onScroll);
  return {
    shown: rowsAround(view, count, retained),
    range: [view.first, view.last],
    isScrolling,
    height: boxHeight(heights()) - head,
    startOf: (row) => row * rowHeight + view.shift,
    show: (row) => {
      const { top } = at.current;
      const start = row * rowHeight + (isHeadSticky ? 0 : head);
      const end = head + (row + 1) * rowHeight - heights().window;
      if (start < top) goTo(row === 0 ? 0 : start);
      else if (end > top) goTo(end);
    },
    scrollBy: (pixels) => goTo(at.current.top + pixels),
    top: () => at.current.top - head,
  };
}

/** Which rows are in view, and how to get to others. */
function useWindow({ scroller, count, rowHeight, head }: RowsOptions) {
  const total = head + count * rowHeight + FOOT;
  const at = useRef<Scroll>({ top: 0, scrollTop: 0 });
  const [view, setView] = useState<View>({ first: 0, last: 0, shift: 0 });
  const heights = useCallback(() => ({ total, window: scroller.current?.clientHeight ?? 0 }), [total, scroller]);
  const updateView = useCallback(() => {
    const { top, scrollTop } = at.current;
    const rowAt = (pixels: number) => Math.max(0, Math.min(count - 1, Math.floor((pixels - head) / rowHeight)));
    const next = { first: rowAt(top), last: rowAt(top + heights().window), shift: scrollTop - top };
    const isSame = (old: View) => old.first === next.first && old.last === next.last && old.shift === next.shift;
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
    // What was written comes back as an event.
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

/** Tells of each scrolling, and when it begins and rests. */
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
