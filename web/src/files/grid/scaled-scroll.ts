/** Browsers limit a box to about 16,777,216 pixels on high-density screens. */
export const MAX_HEIGHT = 8_000_000;

/** Scroll position of a list. */
export interface Scroll {
  /** Pixels of the list above the viewport. */
  top: number;
  /** Scroll position of the box; differs from `top` only for lists above the limit. */
  scrollTop: number;
}

/** Pixels of the whole list and of the viewport. */
export interface Heights {
  total: number;
  window: number;
}

/** Height of the scrolled box. */
export const boxHeight = ({ total }: Pick<Heights, 'total'>): number => Math.min(total, MAX_HEIGHT);

const clamp = (value: number, most: number) => Math.max(0, Math.min(most, value));

/** Scroll position of the box for a position in the list. */
export function boxOffset({ total, window }: Heights, top: number): number {
  const most = Math.max(0, total - window);
  if (total <= MAX_HEIGHT) return clamp(top, most);
  const offset = (clamp(top, most) / most) * (MAX_HEIGHT - window);
  // At its exact ends the box could not be scrolled further.
  if (top <= 0 || top >= most) return Math.round(offset);
  return Math.max(1, Math.min(MAX_HEIGHT - window - 1, Math.round(offset)));
}

/**
 * List position after the browser scrolled the box. Short distances (wheel) are pixels of the list, long ones (scroll
 * bar) are proportional.
 * @returns a different `scrollTop` if the box has to be realigned, which is invisible
 */
export function scrolled(before: Scroll, scrollTop: number, heights: Heights): Scroll {
  const { total, window } = heights;
  if (total <= MAX_HEIGHT) return { top: scrollTop, scrollTop };
  const most = total - window;
  const way = scrollTop - before.scrollTop;
  if (Math.abs(way) >= window) return { top: clamp((scrollTop / (MAX_HEIGHT - window)) * most, most), scrollTop };
  const top = clamp(before.top + way, most);
  const offset = boxOffset(heights, top);
  const isAtEnd = scrollTop <= 0 || scrollTop >= MAX_HEIGHT - window;
  return { top, scrollTop: isAtEnd || Math.abs(offset - scrollTop) > window ? offset : scrollTop };
}
