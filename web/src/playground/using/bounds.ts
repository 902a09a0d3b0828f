import type { Asset } from '../../api/types.ts';
import { widthsOf } from '../../components/widths.ts';
import { isVector } from '../controls/groups.ts';
import type { Shape } from '../controls/shape.ts';
import { parseRatio, parseRegion, type Size, turned, WHOLE } from '../preview/geometry.ts';
import { valueIn } from '../segment.ts';
import { expanded, type Use } from './use.ts';

/** Size of vector graphics, which are sharp at any. */
export const UNBOUNDED: Size = { width: Number.POSITIVE_INFINITY, height: Number.POSITIVE_INFINITY };

const ANY = { least: 1, most: Number.POSITIVE_INFINITY };

/** Pixels of a file that no code exceeds; undefined until it is described. */
export function originalOf(source: Pick<Asset, 'type' | 'width' | 'height'>): Size | undefined {
  const { width, height } = source;
  if (isVector(source)) return UNBOUNDED;
  return width && height ? { width, height } : undefined;
}

type Bounded = Pick<Use, 'segment' | 'listing' | 'original'>;

/** Fits that show the whole image. */
const WHOLE_FITS = ['fit', 'limit', 'mfit', 'scale', 'pad', 'lpad'];
/** Fits that never enlarge. */
const WITHIN_FITS = ['fit', 'limit', 'mfit'];
/** Fits that leave bars. */
const BARRED_FITS = ['pad', 'lpad'];

const valuesOf = (use: Bounded) => (key: string) => valueIn(expanded(use), key, use.listing.image) ?? '';

/**
 * Widths of a `srcset` in which nothing is enlarged; undefined until the size of the original is known.
 * @param limits smallest and largest possible width
 */
export function widthsWithin(
  use: Bounded,
  { least, most }: { least: number; most: number } = ANY,
): number[] | undefined {
  if (!use.original) return undefined;
  const shape = use.listing.image.find(({ key }) => key === 'w')?.shape as Shape | undefined;
  const largest = Math.min(largestWidthOf(use), most, shape?.max ?? ANY.most);
  const widths = widthsOf(largest, chosenWidthOf(use)).filter((width) => width >= least);
  return widths.length > 0 ? widths : [least];
}

/** Width of the result in CSS pixels, where the transformation has one. */
function chosenWidthOf(use: Bounded): number | undefined {
  const value = valuesOf(use);
  if (Number(value('w')) > 0) return Number(value('w'));
  const { width, height } = selectedOf(use);
  const across = Math.round((Number(value('h')) * width) / height);
  return across > 0 ? across : undefined;
}

/** Largest width that the pixels of the original fill; infinite if they are unknown or there are none. */
export function largestWidthOf(use: Bounded): number {
  return largestOf(use).width;
}

/** Largest size of the result that the pixels of the original fill, in its ratio. */
function largestOf(use: Bounded): Size {
  const value = valuesOf(use);
  const selected = selectedOf(use);
  const ratio = WHOLE_FITS.includes(value('c')) ? undefined : parseRatio(`${value('w')}:${value('h')}`);
  const { width, height } = croppedTo(selected, ratio);
  const zoom = Math.max(1, Number(value('z')) || 1);
  return { width: wholeOf(width / zoom), height: wholeOf(height / zoom) };
}

/** Fractions of whole pixels are not exact. */
const wholeOf = (pixels: number) => Math.max(1, Math.floor(pixels + 1e-6));

/** Part of the original before it is fitted into a box. */
function selectedOf(use: Bounded): Size {
  const value = valuesOf(use);
  const upright = turned(use.original ?? UNBOUNDED, value('a'));
  const region = parseRegion(value('rg'), upright) ?? WHOLE;
  const selected = { width: region.width * upright.width, height: region.height * upright.height };
  return croppedTo(selected, parseRatio(value('ar')));
}

/** @param ratio width through height; the size stays without one */
function croppedTo({ width, height }: Size, ratio: number | undefined): Size {
  if (ratio === undefined) return { width, height };
  return width / height > ratio ? { width: height * ratio, height } : { width, height: width / ratio };
}

export interface Enlarged {
  /** Requested size in pixels. */
  result: Size;
  /** `w` and `h` of the largest result that is not enlarged, each only where it is given. */
  sides: { w: number | undefined; h: number | undefined };
}

/** Size of a result that has more pixels than the part of the original in it; undefined for others. */
export function enlargementOf(use: Bounded): Enlarged | undefined {
  const value = valuesOf(use);
  const fit = value('c');
  if (['false', '0'].includes(value('el')) || WITHIN_FITS.includes(fit)) return undefined;
  const largest = largestOf(use);
  const dpr = Number(value('dpr')) || 1;
  const w = Number(value('w')) * dpr;
  const h = Number(value('h')) * dpr;
  const scales = [w / largest.width, h / largest.height].filter((scale) => scale > 0);
  const scale = BARRED_FITS.includes(fit) ? Math.min(...scales) : Math.max(...scales);
  if (scales.length === 0 || scale <= 1) return undefined;
  const sideOf = (side: number) => (side > 0 ? wholeOf(side / dpr / scale) : undefined);
  const result = {
    width: Math.round(w || (h * largest.width) / largest.height),
    height: Math.round(h || (w * largest.height) / largest.width),
  };
  return { result, sides: { w: sideOf(w), h: sideOf(h) } };
}
