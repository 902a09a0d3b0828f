import type { Sharp } from 'sharp';
import { type Placement, placeAt, turnedSize } from '../geometry.ts';

/** How interesting each part of a picture is: 0 to 255, row by row from the top left. May be kept as JSON. */
export interface InterestMap {
  columns: number;
  rows: number;
  cells: number[];
}

/** The longer side, in pixels, of the picture that is looked at, and the side of its cells. */
const SIDE = 256;
const CELL = 8;
/** Grey levels that count as one. */
const GREY_STEP = 8;
/** What a cell in the picture's mean colour is still worth beside one of a colour of its own. */
const COMMON_COLOUR = 0.1;
/** The share that a window in a corner loses against one in the middle; half of it at an edge. */
const CENTRE_BIAS = 0.3;
/** Places tried along an axis. */
const STEPS = 64;

/**
 * Measures a picture as displayed: the entropy of each cell's grey levels, worth more the farther its colour is from the
 * mean of the picture, so that the subject counts for more than a textured background.
 * @throws what sharp throws where the picture cannot be decoded
 */
export async function mapInterest(image: Sharp): Promise<InterestMap> {
  const { data, info } = await image
    .clone()
    .autoOrient()
    .flatten({ background: 'white' })
    .resize(SIDE, SIDE, { fit: 'inside' })
    .toColourspace('srgb')
    .raw({ depth: 'uchar' })
    .toBuffer({ resolveWithObject: true });
  const pixels = new Pixels(data, info.width, info.channels);
  const columns = Math.max(1, Math.round(info.width / CELL));
  const rows = Math.max(1, Math.round(info.height / CELL));
  const mean = pixels.meanColour(0, 0, info.width, info.height);
  const scores = Array.from({ length: columns * rows }, (_, index) => {
    const [column, row] = [index % columns, Math.floor(index / columns)];
    const left = Math.floor((column * info.width) / columns);
    const top = Math.floor((row * info.height) / rows);
    const right = Math.floor(((column + 1) * info.width) / columns);
    const bottom = Math.floor(((row + 1) * info.height) / rows);
    const own = pixels.meanColour(left, top, right, bottom);
    const rarity = Math.hypot(own[0] - mean[0], own[1] - mean[1], own[2] - mean[2]) / 255;
    return pixels.entropy(left, top, right, bottom) * (COMMON_COLOUR + rarity);
  });
  const highest = Math.max(...scores) || 1;
  return { columns, rows, cells: scores.map((score) => Math.round((score / highest) * 255)) };
}

/** Places a window where it holds the most interest; on a plain picture, in the middle. */
export function placeByInterest(map: InterestMap): Placement {
  const sums = summedArea(map);
  return (picture, window) => {
    const [width, height] = [window.width / picture.width, window.height / picture.height];
    let best = { x: 0.5, y: 0.5, score: 0 };
    for (const y of height < 1 ? placesFromMiddle() : [0.5]) {
      for (const x of width < 1 ? placesFromMiddle() : [0.5]) {
        const [left, top] = [(1 - width) * x, (1 - height) * y];
        const offCentre = (2 * x - 1) ** 2 + (2 * y - 1) ** 2;
        const score = sums(left, top, left + width, top + height) * (1 - (CENTRE_BIAS * offCentre) / 2);
        if (score > best.score) best = { x, y, score };
      }
    }
    return placeAt(best.x, best.y)(picture, window);
  };
}

/** The map of the same picture turned by an angle, clockwise in degrees. The corners that a turn adds have no interest. */
export function turnInterest(map: InterestMap, angle: number): InterestMap {
  const { width: columns, height: rows } = turnedSize({ width: map.columns, height: map.rows }, angle);
  const radians = (angle * Math.PI) / 180;
  const [cosine, sine] = [Math.cos(radians), Math.sin(radians)];
  const cells = Array.from({ length: columns * rows }, (_, index) => {
    const x = (index % columns) + 0.5 - columns / 2;
    const y = Math.floor(index / columns) + 0.5 - rows / 2;
    const column = Math.floor(x * cosine + y * sine + map.columns / 2);
    const row = Math.floor(y * cosine - x * sine + map.rows / 2);
    const inside = column >= 0 && row >= 0 && column < map.columns && row < map.rows;
    return inside ? (map.cells[row * map.columns + column] ?? 0) : 0;
  });
  return { columns, rows, cells };
}

type Rgb = [number, number, number];

/** Raw pixels, grey or colour, read as colours. */
class Pixels {
  readonly #data: Uint8Array;
  readonly #width: number;
  readonly #channels: number;

  constructor(data: Uint8Array, width: number, channels: number) {
    this.#data = data;
    this.#width = width;
    this.#channels = channels;
  }

  at(x: number, y: number): Rgb {
    const offset = (y * this.#width + x) * this.#channels;
    const red = this.#data[offset] ?? 0;
    return this.#channels < 3 ? [red, red, red] : [red, this.#data[offset + 1] ?? 0, this.#data[offset + 2] ?? 0];
  }

  meanColour(left: number, top: number, right: number, bottom: number): Rgb {
    const sum: Rgb = [0, 0, 0];
    for (let y = top; y < bottom; y++) {
      for (let x = left; x < right; x++) {
        const [red, green, blue] = this.at(x, y);
        sum[0] += red;
        sum[1] += green;
        sum[2] += blue;
      }
    }
    const count = (right - left) * (bottom - top);
    return [sum[0] / count, sum[1] / count, sum[2] / count];
  }

  /** In bits, of the luma (ITU-R BT.601). */
  entropy(left: number, top: number, right: number, bottom: number): number {
    const counts = new Map<number, number>();
    for (let y = top; y < bottom; y++) {
      for (let x = left; x < right; x++) {
        const [red, green, blue] = this.at(x, y);
        const level = Math.floor((0.299 * red + 0.587 * green + 0.114 * blue) / GREY_STEP);
        counts.set(level, (counts.get(level) ?? 0) + 1);
      }
    }
    const total = (right - left) * (bottom - top);
    return [...counts.values()].reduce((bits, count) => bits - (count / total) * Math.log2(count / total), 0);
  }
}

/** Fractions of the free space, the middle first, so that of equal places the one nearest to it is taken. */
function placesFromMiddle(): number[] {
  const places = Array.from({ length: STEPS + 1 }, (_, index) => index / STEPS);
  return places.toSorted((a, b) => Math.abs(a - 0.5) - Math.abs(b - 0.5));
}

/** The interest within a frame given in fractions of the picture; cells that it cuts count in part. */
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
    const [right, below] = [x * columns - column, y * rows - row];
    const upper = sum(column, row) * (1 - right) + sum(column + 1, row) * right;
    const lower = sum(column, row + 1) * (1 - right) + sum(column + 1, row + 1) * right;
    return upper * (1 - below) + lower * below;
  };
  return (left: number, top: number, right: number, bottom: number) =>
    upTo(right, bottom) - upTo(left, bottom) - upTo(right, top) + upTo(left, top);
}
