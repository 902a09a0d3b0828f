import type { HeldImage, Painting } from '../step.ts';
import { BLENDS, type BlendMode, blendTable } from './blend-modes.ts';

/**
 * Paints over a canvas in place, as far as the image lies on it.
 * Source: Compositing and Blending, level 1 (W3C), 5 and 10.
 */
export function paintOver(canvas: HeldImage, painting: Painting): void {
  const { image, at, opacity, blend, gap } = painting;
  const columns = placesAlong(canvas.width, at.left, image.width, gap);
  const rows = placesAlong(canvas.height, at.top, image.height, gap);
  const write = writerFor(canvas, blend, opacity);
  const isMask = blend === 'mask';
  const [left, right] = isMask ? [0, canvas.width] : reached(columns);
  const [top, bottom] = isMask ? [0, canvas.height] : reached(rows);
  for (let y = top; y < bottom; y++) {
    const row = rows[y] as number;
    for (let x = left; x < right; x++) {
      const column = columns[x] as number;
      const isOutside = row < 0 || column < 0;
      if (isOutside && !isMask) continue;
      const from = (row * image.width + column) * image.channels;
      const level = isOutside ? 0 : levelOf(image, from);
      if (level > 0 || isMask) write(canvas.data, (y * canvas.width + x) * canvas.channels, image.data, from, level);
    }
  }
}

/** The opacity of a pixel, 0 to 255. */
function levelOf({ data, channels }: HeldImage, from: number): number {
  return channels === 4 ? (data[from + 3] as number) : 255;
}

/** Which column or row of the image lies in each of the canvas; -1 for none. */
function placesAlong(side: number, start: number, length: number, gap: number | undefined): Int32Array {
  const period = gap === undefined ? undefined : length + gap;
  return Int32Array.from({ length: side }, (_, place) => {
    const along = place - start;
    const own = period === undefined ? along : ((along % period) + period) % period;
    return own >= 0 && own < length ? own : -1;
  });
}

/** From the first painted position to the end of the last. */
function reached(places: Int32Array): [number, number] {
  const first = places.findIndex((place) => place >= 0);
  return first < 0 ? [0, 0] : [first, places.findLastIndex((place) => place >= 0) + 1];
}

/**
 * Writes one pixel: where to, what, how opaque that is (0 to 255). A whole number costs no allocation per pixel, a
 * fraction does.
 */
type Write = (canvas: Buffer, to: number, image: Buffer, from: number, level: number) => void;

function writerFor({ channels }: HeldImage, blend: BlendMode, opacity: number): Write {
  if (blend === 'mask') return keepUnder(opacity);
  if (blend === 'behind') return channels === 4 ? writeBehind(opacity) : () => undefined;
  if (blend === 'normal' && channels === 4) return writeNormal(opacity);
  const blended = blendTable(BLENDS[blend]);
  return channels === 4 ? writeOver(blended, opacity) : writeOverOpaque(blended, opacity);
}

const writeOverOpaque =
  (blended: Float32Array, opacity: number): Write =>
  (canvas, to, image, from, level) => {
    const alpha = (level / 255) * opacity;
    if (alpha === 0) return;
    for (let c = 0; c < 3; c++) {
      const under = canvas[to + c] as number;
      const both = blended[(under << 8) | (image[from + c] as number)] as number;
      canvas[to + c] = under + (both - under) * alpha + 0.5;
    }
  };

const writeOver =
  (blended: Float32Array, opacity: number): Write =>
  (canvas, to, image, from, level) => {
    const alpha = (level / 255) * opacity;
    if (alpha === 0) return;
    const under = (canvas[to + 3] as number) / 255;
    const whole = alpha + under - alpha * under;
    for (let c = 0; c < 3; c++) {
      const below = canvas[to + c] as number;
      const above = image[from + c] as number;
      const both = blended[(below << 8) | above] as number;
      const sum = alpha * (1 - under) * above + alpha * under * both + (1 - alpha) * under * below;
      canvas[to + c] = sum / whole + 0.5;
    }
    canvas[to + 3] = whole * 255 + 0.5;
  };

/** `writeOver` where the colour of the layer counts alone; without the table, in half the time. */
const writeNormal =
  (opacity: number): Write =>
  (canvas, to, image, from, level) => {
    const alpha = (level / 255) * opacity;
    if (alpha === 0) return;
    const under = (canvas[to + 3] as number) / 255;
    const whole = alpha + under - alpha * under;
    const rest = (1 - alpha) * under;
    canvas[to] = (alpha * (image[from] as number) + rest * (canvas[to] as number)) / whole + 0.5;
    canvas[to + 1] = (alpha * (image[from + 1] as number) + rest * (canvas[to + 1] as number)) / whole + 0.5;
    canvas[to + 2] = (alpha * (image[from + 2] as number) + rest * (canvas[to + 2] as number)) / whole + 0.5;
    canvas[to + 3] = whole * 255 + 0.5;
  };

const writeBehind =
  (opacity: number): Write =>
  (canvas, to, image, from, level) => {
    const alpha = (level / 255) * opacity;
    const over = (canvas[to + 3] as number) / 255;
    const whole = over + alpha * (1 - over);
    if (whole === 0) return;
    for (let c = 0; c < 3; c++) {
      const sum = over * (canvas[to + c] as number) + alpha * (1 - over) * (image[from + c] as number);
      canvas[to + c] = sum / whole + 0.5;
    }
    canvas[to + 3] = whole * 255 + 0.5;
  };

const keepUnder =
  (opacity: number): Write =>
  (canvas, to, _image, _from, level) => {
    canvas[to + 3] = (canvas[to + 3] as number) * (level / 255) * opacity + 0.5;
  };
