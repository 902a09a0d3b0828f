import { WIDTHS } from '../../../packages/client/src/image.ts';

/** Of two widths below this ratio, one is enough. */
const NEAR = 1.1;

/**
 * Returns the widths that code with `srcset` offers, ascending: the displayed width and twice that for dense screens,
 * the full width of a small original, and usual ones between them. None is beyond the original.
 * @param largest width of the result without enlarging; infinite for vector graphics
 * @param displayed chosen width in pixels; undefined if the page decides
 */
export function widthsOf(largest: number, displayed?: number): number[] {
  const chosen = displayed === undefined ? [] : [displayed, 2 * displayed];
  const full = largest < Math.max(...WIDTHS) ? [largest] : [];
  const widths: number[] = [];
  // Earlier ones are more important.
  for (const width of [...chosen, ...full, ...WIDTHS]) {
    const isNear = widths.some((one) => Math.max(one, width) / Math.min(one, width) < NEAR);
    if (width <= largest && !isNear) widths.push(width);
  }
  return widths.sort((one, other) => one - other);
}
