/** Larger files get a thumbnail only once they are described: undecodable ones would deliver the whole original. */
const MAX_UNKNOWN_BYTES = 5 * 1024 * 1024;

/** Sides of an image of which a square thumbnail would crop half or more. */
const MOST_CROPPED = 2;

/** What a thumbnail depends on. */
interface Pictured {
  kind: string;
  /** Bytes. */
  size: number;
  width: number | null;
  height: number | null;
  placeholder: string | null;
  problem: string | null;
}

/** True for images whose thumbnail shows them whole, such as logos: transparent ones, and those that are long. */
export function isWhole({ kind, width, height, placeholder }: Omit<Pictured, 'size' | 'problem'>): boolean {
  if (kind !== 'image') return false;
  const isLong = width !== null && height !== null && Math.max(width, height) > MOST_CROPPED * Math.min(width, height);
  return isLong || isTransparent(placeholder);
}

/** Classes of an image that follow from this, for `small.css`. */
export const imageClassOf = (file: Pictured): string =>
  ['file-image', isWhole(file) && 'is-whole', isTransparent(file.placeholder) && 'is-transparent']
    .filter(Boolean)
    .join(' ');

/** Side of the thumbnails of tiles, in pixels. Other large thumbnails share their variants. */
export const TILE_PIXELS = 320;

/**
 * Transformation of a thumbnail; undefined if there is none.
 * @param size side in pixels
 * @param whole true for the whole image, by default of logos and long images
 */
export function thumbnailOf(file: Pictured, size: number, whole = isWhole(file)): string | undefined {
  const { kind, problem, width } = file;
  if (problem !== null || (kind !== 'video' && kind !== 'image')) return undefined;
  if (kind === 'image' && width === null && file.size > MAX_UNKNOWN_BYTES) return undefined;
  return `${kind === 'video' ? 't_true,tt_1,' : ''}w_${size},h_${size},${whole ? 'c_fit' : 'c_fill'},q_70,f_webp`;
}

/** True if a ThumbHash is that of an image with transparent pixels. */
export const isTransparent = (placeholder: string | null): boolean =>
  placeholder !== null && (atob(placeholder.slice(0, 4)).charCodeAt(2) & 0x80) !== 0;
