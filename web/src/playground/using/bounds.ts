import { WIDTHS } from '../../../../packages/client/src/image.ts';
import { parseRegion, type Size, turned, WHOLE } from '../preview/geometry.ts';
import { valueIn } from '../segment.ts';
import { expanded, type Use } from './use.ts';

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
  const upright = turned(use.original, value('a'));
  const region = parseRegion(value('rg'), upright) ?? WHOLE;
  const selected = { width: region.width * upright.width, height: region.height * upright.height };
  const [across = 0, down = 0] = value('ar').split(':').map(Number);
  const cropped = croppedTo(selected, across / down);
  const isWhole = ['fit', 'limit', 'mfit', 'scale', 'pad', 'lpad'].includes(value('c'));
  const boxed = isWhole ? cropped : croppedTo(cropped, Number(value('w')) / Number(value('h')));
  // Fractions of whole pixels are not exact.
  return Math.max(1, Math.floor(boxed.width / Math.max(1, Number(value('z')) || 1) + 1e-6));
}

/** @param ratio width through height; the size stays without one */
function croppedTo({ width, height }: Size, ratio: number): Size {
  if (!(ratio > 0) || !Number.isFinite(ratio)) return { width, height };
  return width / height > ratio ? { width: height * ratio, height } : { width, height: width / ratio };
}
