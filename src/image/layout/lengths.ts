import type { Length } from './geometry.ts';

const MAX_DECIMALS = 4;

/**
 * Reads whole pixels, or with a decimal point a share of a side; undefined for any other text. Both may have a sign.
 */
export function readLength(text: string): Length | undefined {
  if (/^-?\d{1,6}$/.test(text)) return { pixels: Number(text) + 0 };
  return /^-?\d{1,3}\.\d{1,9}$/.test(text) ? { share: Number(Number(text).toFixed(MAX_DECIMALS)) + 0 } : undefined;
}

export function writeLength(length: Length): string {
  if ('pixels' in length) return String(length.pixels);
  return Number.isInteger(length.share) ? `${length.share}.0` : String(length.share);
}

/** In whole pixels of a side. */
export function pixelsOf(length: Length, side: number): number {
  return Math.round('pixels' in length ? length.pixels : length.share * side);
}

/** Shares stay as they are. */
export function scaleLength(length: Length, factor: number): Length {
  return 'pixels' in length ? { pixels: Math.round(length.pixels * factor) } : length;
}
