import type { OpenImage } from '../decode.ts';
import { holdImage } from '../drawing/chains.ts';
import type { Rectangle } from '../layout/geometry.ts';
import type { MemoryCheck } from '../memory.ts';
import type { HeldImage } from '../step.ts';

const BYTES_PER_PIXEL = 4;

/**
 * Finds the area within a border of one colour, that of the upper left corner, or within a transparent one.
 * @param tolerance how far each channel may be from the border's, in percent (1 to 100)
 * @returns pixels of the upright image; null where there is no border, or nothing else
 * @throws the error of sharp when the image cannot be decoded, NeedsMemory
 */
export async function findEdges(
  { image, upright, megabytes }: OpenImage,
  tolerance: number,
  checkMemory: MemoryCheck,
): Promise<Rectangle | null> {
  checkMemory(megabytes + (upright.width * upright.height * BYTES_PER_PIXEL) / 1e6);
  const held = await holdImage(image.clone().autoOrient().toColourspace('srgb'), upright);
  return contentOf(held, (tolerance / 100) * 255);
}

/** Looks at rows from the top and the bottom, and then at what is left of the columns, until something differs. */
function contentOf(image: HeldImage, tolerance: number): Rectangle | null {
  const { width, height } = image;
  const differs = differenceFrom(image, tolerance);
  const isRow = (y: number) => some(0, width, (x) => differs(x, y));
  const top = first(0, height, isRow);
  if (top === height) return null;
  const bottom = height - first(0, height, (back) => isRow(height - 1 - back));
  const isColumn = (x: number) => some(top, bottom, (y) => differs(x, y));
  const left = first(0, width, isColumn);
  const right = width - first(0, width, (back) => isColumn(width - 1 - back));
  const isWhole = right - left === width && bottom - top === height;
  return isWhole ? null : { left, top, width: right - left, height: bottom - top };
}

/** True for pixels inside the border. Colours of transparent pixels do not count. */
function differenceFrom({ data, width, channels }: HeldImage, tolerance: number) {
  const alpha = channels === 2 || channels === 4 ? channels - 1 : undefined;
  const isClear = alpha !== undefined && (data[alpha] as number) <= tolerance;
  const compared = Array.from({ length: channels }, (_, channel) => channel).slice(isClear ? alpha : 0);
  const border = compared.map((channel) => (isClear ? 0 : (data[channel] as number)));
  return (x: number, y: number) => {
    const at = (y * width + x) * channels;
    return compared.some((channel, index) => {
      return Math.abs((data[at + channel] as number) - (border[index] as number)) > tolerance;
    });
  };
}

function some(from: number, to: number, is: (at: number) => boolean): boolean {
  return first(from, to, is) < to;
}

/** The first number for which something is true; the end where it never is. */
function first(from: number, to: number, is: (at: number) => boolean): number {
  let at = from;
  while (at < to && !is(at)) at++;
  return at;
}
