/** Pixels of 8 bits: red, green, blue, alpha, not premultiplied. */
export interface Pixels {
  width: number;
  height: number;
  data: Uint8Array | Uint8ClampedArray;
}

const LOBES = 3;

/**
 * Resizes an image to a smaller size: Lanczos with three lobes on the coded numbers, colours weighted by alpha. It is
 * independent of the libraries that the service resizes with.
 */
export function resample(source: Pixels, width: number, height: number): Pixels {
  const { width: fromWidth, height: fromHeight, data } = source;
  const weighted = new Float64Array(data.length);
  for (let at = 0; at < data.length; at += 4) {
    const alpha = (data[at + 3] ?? 0) / 255;
    for (let channel = 0; channel < 3; channel++) weighted[at + channel] = (data[at + channel] ?? 0) * alpha;
    weighted[at + 3] = alpha;
  }
  const rows = squeeze(weighted, { count: fromHeight, step: fromWidth * 4 }, { from: fromWidth, to: width, step: 4 });
  const all = squeeze(rows, { count: width, step: 4 }, { from: fromHeight, to: height, step: width * 4 });
  const result = new Uint8ClampedArray(width * height * 4);
  for (let at = 0; at < result.length; at += 4) {
    const alpha = Math.min(1, Math.max(0, all[at + 3] ?? 0));
    for (let channel = 0; channel < 3; channel++)
      result[at + channel] = alpha > 0 ? (all[at + channel] ?? 0) / alpha : 0;
    result[at + 3] = alpha * 255;
  }
  return { width, height, data: result };
}

interface Lines {
  count: number;
  /** Offset from one line to the next, in the source and in the result. */
  step: number;
}

interface Axis {
  from: number;
  to: number;
  /** Offset from one pixel of a line to the next. */
  step: number;
}

/** Resizes lines of pixels, along the rows if the pixel offset is four, else along the columns. */
function squeeze(source: Float64Array, lines: Lines, { from, to, step }: Axis): Float64Array {
  const alongRows = step === 4;
  const result = new Float64Array(lines.count * to * 4);
  for (let position = 0; position < to; position++) {
    const taps = tapsOf(position, from, to);
    for (let line = 0; line < lines.count; line++) {
      const target = alongRows ? (line * to + position) * 4 : (position * lines.count + line) * 4;
      for (const { index, weight } of taps) {
        const at = line * lines.step + index * step;
        for (let channel = 0; channel < 4; channel++) {
          result[target + channel] = (result[target + channel] ?? 0) + (source[at + channel] ?? 0) * weight;
        }
      }
    }
  }
  return result;
}

/** Returns the source pixels of one result pixel, and their weights. */
function tapsOf(position: number, from: number, to: number): { index: number; weight: number }[] {
  const scale = Math.max(1, from / to);
  const centre = ((position + 0.5) * from) / to;
  const taps: { index: number; weight: number }[] = [];
  for (let index = Math.ceil(centre - LOBES * scale - 0.5); index < centre + LOBES * scale - 0.5; index++) {
    const weight = lanczos((index + 0.5 - centre) / scale);
    taps.push({ index: Math.min(from - 1, Math.max(0, index)), weight });
  }
  const sum = taps.reduce((total, { weight }) => total + weight, 0);
  return taps.map(({ index, weight }) => ({ index, weight: weight / sum }));
}

function lanczos(x: number): number {
  if (x === 0) return 1;
  const turn = Math.PI * x;
  return Math.abs(x) < LOBES ? (LOBES * Math.sin(turn) * Math.sin(turn / LOBES)) / (turn * turn) : 0;
}
