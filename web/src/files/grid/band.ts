import type { Block, Range } from '../../api/targets/ranges.ts';
import type { Layout } from './use-layout.ts';

/** Point in the content of the grid, in pixels. */
export interface Point {
  x: number;
  y: number;
}

/** Distance from an edge where scrolling starts, in pixels. */
const EDGE = 40;
/** Maximum pixels per frame. */
const FASTEST = 90;

/** Rows and columns that a rectangle touches; undefined if none. */
export function blockOf(one: Point, other: Point, layout: Layout, rowCount: number): Block | undefined {
  const { columns, rowHeight, tileWidth, gap, padding } = layout;
  const rows = span(one.y, other.y, rowHeight, rowHeight - gap, rowCount);
  const wide = span(one.x - padding, other.x - padding, tileWidth + gap, tileWidth, columns);
  return rows && wide && { rows, columns: wide };
}

/**
 * Indices of equally spaced cells that an interval touches.
 * @param step distance between starts
 * @param size of a cell, without the gap
 */
function span(one: number, other: number, step: number, size: number, count: number): Range | undefined {
  const from = Math.min(one, other);
  const to = Math.max(one, other);
  const before = Math.floor(from / step);
  const first = Math.max(0, from > before * step + size ? before + 1 : before);
  const last = Math.min(count - 1, Math.floor(to / step));
  return first > last ? undefined : [first, last];
}

/** Scroll distance per frame in pixels. @param y pointer position from the top of the grid */
export function pull(y: number, height: number): number {
  const over = y < EDGE ? y - EDGE : Math.max(0, y - (height - EDGE));
  return Math.round(Math.max(-1, Math.min(1, over / (2 * EDGE))) * FASTEST);
}
