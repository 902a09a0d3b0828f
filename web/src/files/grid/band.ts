import type { Block, Range } from '../../api/targets/ranges.ts';
import type { Layout } from './use-layout.ts';

/** A place in the content of the grid, in pixels from its start. */
export interface Point {
  x: number;
  y: number;
}

/** Pixels from an edge where the grid begins to scroll. */
const EDGE = 40;
/** Pixels a frame, at most. */
const FASTEST = 90;

/** The rows and columns that a rectangle between two points touches; undefined where it touches none. */
export function blockOf(one: Point, other: Point, layout: Layout, rowCount: number): Block | undefined {
  const { columns, rowHeight, tileWidth, gap, padding } = layout;
  const rows = span(one.y, other.y, rowHeight, rowHeight - gap, rowCount);
  const wide = span(one.x - padding, other.x - padding, tileWidth + gap, tileWidth, columns);
  return rows && wide && { rows, columns: wide };
}

/** Which of some pieces in a row a line touches. @param step from one to the next @param size of each, without the gap behind it */
function span(one: number, other: number, step: number, size: number, count: number): Range | undefined {
  const [from, to] = [Math.min(one, other), Math.max(one, other)];
  const before = Math.floor(from / step);
  const first = Math.max(0, from > before * step + size ? before + 1 : before);
  const last = Math.min(count - 1, Math.floor(to / step));
  return first > last ? undefined : [first, last];
}

/** Pixels that the grid scrolls in a frame. @param y where the pointer is, from the top of the grid */
export function pull(y: number, height: number): number {
  const over = y < EDGE ? y - EDGE : Math.max(0, y - (height - EDGE));
  return Math.round(Math.max(-1, Math.min(1, over / (2 * EDGE))) * FASTEST);
}
