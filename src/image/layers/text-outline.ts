import type { Size } from '../layout/geometry.ts';

/**
 * Dilates a mask by a disc, in linear time for any radius. A partly covered pixel is a piece of an edge, which lies
 * `coverage - 0.5` pixels beyond the pixel's centre, so that edges stay as smooth as they were.
 * Source: Felzenszwalb, Huttenlocher: Distance Transforms of Sampled Functions, 2012, with the nearest pixel stored
 * next to the distance.
 * @param coverage one byte per pixel
 * @param radius whole pixels, at least 1
 * @returns the coverage of a mask that is larger by `radius` on each side
 */
export function dilate(coverage: Uint8Array, size: Size, radius: number): Uint8Array {
  const mask = { coverage, ...size, radius, stride: size.width + 2 * radius };
  const rows = measureRows(mask);
  const result = measureColumns(mask, rows);
  for (let y = 0, at = 0; y < size.height; y++) {
    const start = (y + radius) * mask.stride + radius;
    for (let x = 0; x < size.width; x++, at++) {
      if ((coverage[at] as number) > 0) result[start + x] = 255;
    }
  }
  return result;
}

interface Mask extends Size {
  coverage: Uint8Array;
  radius: number;
  /** The width of the result. */
  stride: number;
}

/** The nearest edge within a row, for each row of the mask and each column of the result. */
interface RowDistances {
  /** Squared, weighted by the coverage of the edge; infinite where no edge of this row can matter. */
  squares: Float32Array;
  /** Its column in the mask. */
  columns: Uint16Array;
}

function measureRows({ coverage, width, height, radius, stride }: Mask): RowDistances {
  const squares = new Float32Array(stride * height).fill(Number.POSITIVE_INFINITY);
  const columns = new Uint16Array(stride * height);
  const heights = heightsOf(radius);
  const envelope = new Envelope(width);
  for (let y = 0; y < height; y++) {
    envelope.clear();
    for (let x = 0, at = y * width; x < width; x++, at++) {
      const share = coverage[at] as number;
      if (share === 0 || (share === 255 && isSurrounded(coverage, { width, height }, x, y))) continue;
      envelope.add(x, heights[share] as number);
    }
    const start = y * stride + radius;
    const first = y * width;
    envelope.visit(radius, -radius, width + radius, (x, nearest) => {
      squares[start + x] = (x - nearest) ** 2 + (heights[coverage[first + nearest] as number] as number);
      columns[start + x] = nearest;
    });
  }
  return { squares, columns };
}

function measureColumns({ coverage, width, height, radius, stride }: Mask, { squares, columns }: RowDistances) {
  const result = new Uint8Array(stride * (height + 2 * radius));
  const envelope = new Envelope(height);
  for (let x = 0; x < stride; x++) {
    envelope.clear();
    for (let y = 0, at = x; y < height; y++, at += stride) {
      const square = squares[at] as number;
      if (square < Number.POSITIVE_INFINITY) envelope.add(y, square);
    }
    envelope.visit(radius, -radius, height + radius, (y, nearest) => {
      const column = columns[nearest * stride + x] as number;
      const across = x - radius - column;
      const down = y - nearest;
      const share = coverage[nearest * width + column] as number;
      const beyond = radius - Math.sqrt(across * across + down * down);
      const covered = 255 * beyond + share;
      if (covered > 0) result[(y + radius) * stride + x] = Math.min(255, covered + 0.5);
    });
  }
  return result;
}

/**
 * The height of a parabola, by the coverage of its pixel: where it is `radius` squared, the edge in the pixel is
 * `radius` away. There it has to be exact; farther inside and outside nothing but the order counts.
 */
function heightsOf(radius: number): Float64Array {
  return Float64Array.from({ length: 256 }, (_, share) => {
    const behind = 0.5 - share / 255;
    return radius ** 2 - (radius - behind) ** 2;
  });
}

/** True for a pixel with covered neighbours, one of which is nearer to any pixel outside. */
function isSurrounded(coverage: Uint8Array, { width, height }: Size, x: number, y: number): boolean {
  if (x === 0 || y === 0 || x === width - 1 || y === height - 1) return false;
  const at = y * width + x;
  return (
    coverage[at - 1] === 255 && coverage[at + 1] === 255 && coverage[at - width] === 255 && coverage[at + width] === 255
  );
}

/** The lower envelope of parabolas of one shape, which are added from left to right. */
class Envelope {
  readonly #vertices: Int32Array;
  readonly #heights: Float64Array;
  /** From where on a parabola is the lowest. */
  readonly #starts: Float64Array;
  #count = 0;

  /** @param most parabolas */
  constructor(most: number) {
    this.#vertices = new Int32Array(most);
    this.#heights = new Float64Array(most);
    this.#starts = new Float64Array(most + 1);
  }

  clear(): void {
    this.#count = 0;
  }

  add(vertex: number, height: number): void {
    const vertices = this.#vertices;
    const heights = this.#heights;
    const starts = this.#starts;
    let count = this.#count;
    let start = Number.NEGATIVE_INFINITY;
    while (count > 0) {
      const last = vertices[count - 1] as number;
      const difference = height - (heights[count - 1] as number);
      start = (difference / (vertex - last) + vertex + last) / 2;
      if (start > (starts[count - 1] as number)) break;
      count--;
      start = Number.NEGATIVE_INFINITY;
    }
    vertices[count] = vertex;
    heights[count] = height;
    starts[count] = start;
    this.#count = count + 1;
  }

  /**
   * Visits the positions from `from` up to `to` that are no farther than `reach` from the vertex of the lowest parabola
   * there.
   * @param see called with the position and that vertex
   */
  visit(reach: number, from: number, to: number, see: (place: number, vertex: number) => void): void {
    this.#starts[this.#count] = Number.POSITIVE_INFINITY;
    for (let index = 0; index < this.#count; index++) {
      const vertex = this.#vertices[index] as number;
      const first = Math.max(from, vertex - reach, Math.ceil(this.#starts[index] as number));
      const end = Math.min(to, vertex + reach + 1, Math.ceil(this.#starts[index + 1] as number));
      for (let place = first; place < end; place++) see(place, vertex);
    }
  }
}
