/** Browsers draw no box that is higher than some 16,777,216 pixels on a screen with two dots a pixel. */
export const MAX_HEIGHT = 8_000_000;

/** Where a list is scrolled to. */
export interface Scroll {
  /** Pixels of the list above the window. */
  top: number;
  /** What the browser says: the same, unless the list is higher than a box can be. */
  scrollTop: number;
}

/** Pixels of the whole list, and of what is seen of it. */
export interface Heights {
  total: number;
  window: number;
}

/** The height of the box that stands for the list. */
export const boxHeight = ({ total }: Pick<Heights, 'total'>): number => Math.min(total, MAX_HEIGHT);

const clamp = (value: number, most: number) => Math.max(0, Math.min(most, value));

/** The place in the box that stands for one of the list. */
export function boxOffset({ total, window }: Heights, top: number): number {
  const most = Math.max(0, total - window);
  if (total <= MAX_HEIGHT) return clamp(top, most);
  const offset = (clamp(top, most) / most) * (MAX_HEIGHT - window);
  // At its ends nothing could be scrolled any more.
  if (top <= 0 || top >= most) return Math.round(offset);
  return Math.max(1, Math.min(MAX_HEIGHT - window - 1, Math.round(offset)));
}

/**
 * Where the list is after the browser has scrolled its box. Short ways are pixels of the list, as on the wheel; long ones, by the bar,
 * are shares of it.
 * @returns with another `scrollTop` than was given where the box has to be put in line again, which nobody sees
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
