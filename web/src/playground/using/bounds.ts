import { WIDTHS } from '../../../../packages/client/src/image.ts';
import { valueIn } from '../segment.ts';
import { expanded, type Use } from './use.ts';

interface Size {
  width: number;
  height: number;
}

/** Widths of a `srcset` in which nothing is enlarged. */
export function widthsWithin(use: Use): number[] {
  const most = largestWidthOf(use);
  const widths = WIDTHS.filter((width) => width <= most);
  const last = WIDTHS.at(-1) ?? 0;
  return most < last && !widths.includes(most) ? [...widths, most] : widths;
}

/** Largest width that the pixels of the original fill; infinite if they are unknown or there are none. */
export function largestWidthOf(use: Use): number {
  if (!use.original) return Number.POSITIVE_INFINITY;
  const value = (key: string) => valueIn(expanded(use), key, use.listing.image) ?? '';
  const selected = regionOf(turnedOf(use.original, value('a')), value('rg'));
  const [across = 0, down = 0] = value('ar').split(':').map(Number);
  const cropped = croppedTo(selected, across / down);
  const isWhole = ['fit', 'limit', 'mfit', 'scale', 'pad', 'lpad'].includes(value('c'));
  const boxed = isWhole ? cropped : croppedTo(cropped, Number(value('w')) / Number(value('h')));
  return Math.max(1, Math.floor(boxed.width / Math.max(1, Number(value('z')) || 1)));
}

/** Quarter turns exchange the sides. Other angles enlarge the canvas, which counts as no more than the image. */
function turnedOf({ width, height }: Size, angle: string): Size {
  const degrees = Number(angle.split('.').at(-1)) || 0;
  return Math.abs(degrees) % 180 === 90 ? { width: height, height: width } : { width, height };
}

function regionOf({ width, height }: Size, region: string): Size {
  const texts = region.split(':');
  if (texts.length !== 4) return { width, height };
  const [x, y, w, h] = texts.map((text, index) => {
    const side = index % 2 === 0 ? width : height;
    return text.includes('.') ? Number(text) * side : Number(text);
  }) as [number, number, number, number];
  return { width: Math.min(w, width - x), height: Math.min(h, height - y) };
}

/** @param ratio width through height; the size stays without one */
function croppedTo({ width, height }: Size, ratio: number): Size {
  if (!(ratio > 0) || !Number.isFinite(ratio)) return { width, height };
  return width / height > ratio ? { width: height * ratio, height } : { width, height: width / ratio };
}
