import { type RefObject, useLayoutEffect, useState } from 'react';

export type View = 'grid' | 'list';

export interface Layout {
  columns: number;
  /** Pixels including the gap. */
  rowHeight: number;
  tileWidth: number;
  /** Pixels between tiles, and at the sides. */
  gap: number;
  padding: number;
}

const GAP = 14;
const PADDING = 24;
const CAPTION = 50;
const MIN_TILE = 168;
const ROW = 52;

/** Columns and row height for the width of the scroller. */
export function useLayout(scroller: RefObject<HTMLElement | null>, view: View): Layout {
  const [width, setWidth] = useState(0);
  useLayoutEffect(() => {
    const element = scroller.current;
    if (!element) return;
    setWidth(element.clientWidth);
    const observer = new ResizeObserver(() => setWidth(element.clientWidth));
    observer.observe(element);
    return () => observer.disconnect();
  }, [scroller]);
  return layoutOf(width, view);
}

/** @param width of the scroller, in pixels */
export function layoutOf(width: number, view: View): Layout {
  if (view === 'list') return { columns: 1, rowHeight: ROW, tileWidth: width, gap: 0, padding: 0 };
  const isNarrow = width < 560;
  const [gap, padding, least] = isNarrow ? [10, 12, 104] : [GAP, PADDING, MIN_TILE];
  const inner = Math.max(least, width - 2 * padding);
  const columns = Math.max(1, Math.floor((inner + gap) / (least + gap)));
  const tileWidth = (inner - gap * (columns - 1)) / columns;
  return { columns, rowHeight: Math.round(tileWidth + CAPTION + gap), tileWidth, gap, padding };
}
