import { type RefObject, useLayoutEffect, useState } from 'react';
import { type Density, useDensity } from '../../components/density.ts';
import { PHONE } from '../../components/use-media.ts';

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
const COMPACT = { gap: 10, tile: 120, row: 40, caption: 44 };

/** Columns and row height for the width of the scroller. */
export function useLayout(scroller: RefObject<HTMLElement | null>, view: View): Layout {
  const [width, setWidth] = useState(0);
  const density = useDensity();
  useLayoutEffect(() => {
    const element = scroller.current;
    if (!element) return;
    setWidth(element.clientWidth);
    const observer = new ResizeObserver(() => setWidth(element.clientWidth));
    observer.observe(element);
    return () => observer.disconnect();
  }, [scroller]);
  // Style sheets narrow the sides there.
  return layoutOf(width, view, density, matchMedia(PHONE).matches);
}

/** @param width of the scroller, in pixels */
export function layoutOf(width: number, view: View, density: Density = 'comfortable', isPhone = width < 560): Layout {
  const isCompact = density === 'compact';
  if (view === 'list')
    return { columns: 1, rowHeight: isCompact ? COMPACT.row : ROW, tileWidth: width, gap: 0, padding: 0 };
  const isNarrow = width < 560;
  const usual = isCompact ? [COMPACT.gap, COMPACT.tile] : [GAP, MIN_TILE];
  const [gap = 0, least = 0] = isNarrow ? [10, isCompact ? 84 : 104] : usual;
  const padding = isPhone ? 12 : PADDING;
  const inner = Math.max(least, width - 2 * padding);
  const columns = Math.max(1, Math.floor((inner + gap) / (least + gap)));
  const tileWidth = (inner - gap * (columns - 1)) / columns;
  const caption = isCompact ? COMPACT.caption : CAPTION;
  return { columns, rowHeight: Math.round(tileWidth + caption + gap), tileWidth, gap, padding };
}
