import { type Placement, placeAt, type Rectangle, type Turn, turnedSize } from '../layout/geometry.ts';
import type { InterestMap } from './map-interest.ts';

/** The share that a window in a corner loses against one in the middle; half of it at an edge. */
const CENTRE_BIAS = 0.3;
/** Positions tried along an axis. */
const STEPS = 64;

/**
 * Places a window where it holds the most interest; on a plain image, in the middle.
 * @param area the part of the image that there is, in fractions of it
 */
export function placeByInterest(map: InterestMap, area: Rectangle): Placement {
  const all = summedArea(map);
  const across = (x: number) => area.left + x * area.width;
  const down = (y: number) => area.top + y * area.height;
  const sums = (left: number, top: number, right: number, bottom: number) =>
    all(across(left), down(top), across(right), down(bottom));
  return (image, window) => {
    const width = window.width / image.width;
    const height = window.height / image.height;
    let best = { x: 0.5, y: 0.5, score: 0 };
    for (const y of height < 1 ? placesFromMiddle() : [0.5]) {
      for (const x of width < 1 ? placesFromMiddle() : [0.5]) {
        const left = (1 - width) * x;
        const top = (1 - height) * y;
        const offCentre = (2 * x - 1) ** 2 + (2 * y - 1) ** 2;
        const score = sums(left, top, left + width, top + height) * (1 - (CENTRE_BIAS * offCentre) / 2);
        if (score > best.score) best = { x, y, score };
      }
    }
    return placeAt(best.x, best.y)(image, window);
  };
}

/** The map of the same image turned. The corners that a turn adds have no interest. */
export function turnInterest(map: InterestMap, { isMirrored, degrees }: Turn): InterestMap {
  const { width: columns, height: rows } = turnedSize({ width: map.columns, height: map.rows }, degrees);
  const radians = (degrees * Math.PI) / 180;
  const cosine = Math.cos(radians);
  const sine = Math.sin(radians);
  const cells = Array.from({ length: columns * rows }, (_, index) => {
    const x = (index % columns) + 0.5 - columns / 2;
    const y = Math.floor(index / columns) + 0.5 - rows / 2;
    const column = Math.floor(x * cosine + y * sine + map.columns / 2);
    const row = Math.floor(y * cosine - x * sine + map.rows / 2);
    const inside = column >= 0 && row >= 0 && column < map.columns && row < map.rows;
    const from = isMirrored ? map.columns - 1 - column : column;
    return inside ? (map.cells[row * map.columns + from] ?? 0) : 0;
  });
  return { columns, rows, cells };
}

/** Returns the map of a part of the image: all cells that it touches. @param area in fractions of the image */
export function interestWithin({ columns, rows, cells }: InterestMap, area: Rectangle): InterestMap {
  const left = Math.floor(area.left * columns);
  const top = Math.floor(area.top * rows);
  const right = Math.min(columns, Math.max(left + 1, Math.ceil((area.left + area.width) * columns)));
  const bottom = Math.min(rows, Math.max(top + 1, Math.ceil((area.top + area.height) * rows)));
  const remaining = Array.from({ length: bottom - top }, (_, row) => {
    const start = (top + row) * columns;
    return cells.slice(start + left, start + right);
  });
  return { columns: right - left, rows: bottom - top, cells: remaining.flat() };
}

/** Fractions of the free space, the middle first: of equal positions the one nearest to the middle wins. */
function placesFromMiddle(): number[] {
  const places = Array.from({ length: STEPS + 1 }, (_, index) => index / STEPS);
  return places.toSorted((a, b) => Math.abs(a - 0.5) - Math.abs(b - 0.5));
}

/** Returns a function for the interest in a rectangle, in fractions of the image; cut cells count in part. */
function summedArea({ columns, rows, cells }: InterestMap) {
  const stride = columns + 1;
  const sums = new Float64Array(stride * (rows + 1));
  const sum = (column: number, row: number) => sums[row * stride + column] ?? 0;
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++) {
      sums[(row + 1) * stride + column + 1] =
        (cells[row * columns + column] ?? 0) + sum(column, row + 1) + sum(column + 1, row) - sum(column, row);
    }
  }
  const upTo = (x: number, y: number) => {
    const column = Math.min(columns - 1, Math.floor(x * columns));
    const row = Math.min(rows - 1, Math.floor(y * rows));
    const right = x * columns - column;
    const below = y * rows - row;
    const upper = sum(column, row) * (1 - right) + sum(column + 1, row) * right;
    const lower = sum(column, row + 1) * (1 - right) + sum(column + 1, row + 1) * right;
    return upper * (1 - below) + lower * below;
  };
  return (left: number, top: number, right: number, bottom: number) =>
    upTo(right, bottom) - upTo(left, bottom) - upTo(right, top) + upTo(left, top);
}
