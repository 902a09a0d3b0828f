import type { Asset } from '../../api/types.ts';

/** Widths of the variants: few, so that all screens share them. */
const WIDTHS = [1280, 1920, 2560, 3840];
const MAX_WIDTH = 3840;

/** Types that browsers show in full quality. */
const SHOWN_BY_BROWSERS = ['image/jpeg', 'image/png', 'image/webp', 'image/avif', 'image/gif'];
/** Drawn at any size. */
const SCALABLE = ['image/svg+xml', 'application/pdf'];
const PAGED = ['application/pdf', 'image/tiff'];
const ANIMATED = ['image/gif', 'image/webp', 'image/png'];

/** An original up to this size needs no variant. */
const SMALL_BYTES = 1024 * 1024;
/** Larger originals are not loaded for a closer look. */
const MAX_BYTES = 64 * 1024 * 1024;

type Shown = Pick<Asset, 'type' | 'size' | 'width' | 'frames' | 'problem'>;

export const isScalable = ({ type }: Pick<Asset, 'type'>): boolean => SCALABLE.includes(type);

/** Number of pages of a document; 1 for all other files. */
export const pagesOf = ({ type, frames }: Pick<Asset, 'type' | 'frames'>): number =>
  PAGED.includes(type) ? (frames ?? 1) : 1;

/**
 * Transformation that shows an image in enough detail; empty for the original.
 * @param width pixels of the screen that the image covers
 */
export function sourceFor(asset: Shown, width: number, page = 1): string {
  const { type, size, frames, problem } = asset;
  // The browser may know what the service cannot decode.
  if (problem !== null) return '';
  const canBeOriginal = SHOWN_BY_BROWSERS.includes(type) && size <= MAX_BYTES;
  const isAnimated = ANIMATED.includes(type) && (frames ?? 1) > 1;
  if (canBeOriginal && (isAnimated || size <= SMALL_BYTES)) return '';
  const wanted = WIDTHS.find((one) => one >= width) ?? MAX_WIDTH;
  // Of a small image every variant is as large as the original.
  const needed = !isScalable(asset) && asset.width !== null && asset.width <= wanted ? asset.width : wanted;
  // A variant of this size would show no more.
  if (canBeOriginal && asset.width !== null && width >= Math.min(asset.width, wanted + 1)) return '';
  const parts = [page > 1 && `pg_${page}`, `w_${needed}`, 'c_fit', 'q_85', 'f_webp'];
  return parts.filter(Boolean).join(',');
}
