import type { Sharp } from 'sharp';

/** Interest of each part of an image: 0 to 255, row by row from the top left. Can be stored as JSON. */
export interface InterestMap {
  columns: number;
  rows: number;
  cells: number[];
}

/** Longer side of the analysed copy, and the side of its cells, in pixels. */
const SIDE = 256;
const CELL = 8;
/** Grey levels that count as one. */
const GREY_STEP = 8;
/** The weight of a cell in the image's mean colour; a cell of the farthest colour has about 1. */
const COMMON_COLOUR = 0.1;

/**
 * Measures an image as displayed: the entropy of each cell's grey levels, worth more the farther its colour is from the
 * mean of the image, so that the subject counts for more than a textured background.
 * @throws the error of sharp when the image cannot be decoded
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
    const column = index % columns;
    const row = Math.floor(index / columns);
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
