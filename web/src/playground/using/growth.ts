import type { Parameter } from '../../api/types.ts';
import type { Shape } from '../controls/shape.ts';
import { baseOf, layersOf, readLayer, withBase } from '../layered.ts';
import { type Part, readParts, withPart } from '../parts.ts';
import { listOf } from '../problem.ts';
import { expandPreset, type Listing, readSegment, valueIn } from '../segment.ts';

/** Scales an image with layers to other widths: `dpr` multiplies all lengths, so layers keep their positions. */
export interface Growth {
  /** Smallest and largest possible width. */
  least: number;
  most: number;
  /** Nearest possible width with its multiplier. */
  step(width: number): { width: number; multiplier: string };
  segmentOf(multiplier: string): string;
  /** JavaScript expression for the multiplier of a `width`. */
  expression: string;
}

interface Grown {
  segment: string;
  listing: Listing;
  /** Result in pixels. */
  size?: { width: number; height: number } | undefined;
}

/** Parameter that multiplies every length. */
const MULTIPLIER = 'dpr';

/**
 * Maximum lengths that the listing does not contain, per component of a value: it has ranges for single numbers only.
 */
export const LARGEST: Readonly<Record<string, readonly number[]>> = {
  st: [20],
  bo: [200],
  sd: [200, 200, 50],
  pd: [2000, 2000, 2000, 2000],
  x: [8192],
  y: [8192],
  // `b_blur:20`; a colour is not a length.
  b: [Number.POSITIVE_INFINITY, 100],
};
/** Parameters whose bounds are listed. */
const LISTED: ReadonlySet<string> = new Set(['w', 'h', 'fs', 'tl', 'e_blur', 'e_pixelate']);

/** @returns undefined without layers, or before the width of the result is known */
export function growthOf({ segment: written, listing, size }: Grown): Growth | undefined {
  const segment = expandPreset(written, listing.presets);
  const { image } = listing;
  if (layersOf(segment).length === 0) return undefined;
  const now = Number(valueIn(segment, MULTIPLIER, image) ?? 1);
  const width = Number(valueIn(segment, 'w', image)) || Math.round((size?.width ?? 0) / now);
  if (!(width > 0)) return undefined;
  const hasSide = ['w', 'h'].some((key) => valueIn(segment, key, image) !== undefined);
  const base = hasSide ? baseOf(segment) : withPart(baseOf(segment), 'w', String(width), image);
  const [least, most] = limitsOf(withBase(segment, base), listing);
  const within = (target: number) => Math.min(most, Math.max(least, target / width)).toFixed(2);
  return {
    least: Math.ceil(width * least),
    most: Math.floor(width * most),
    step(target) {
      const multiplier = within(target);
      return { width: Math.round(width * Number(multiplier)), multiplier };
    },
    segmentOf: (multiplier) => withBase(segment, withPart(base, MULTIPLIER, multiplier, image)),
    expression: `Math.min(${most}, Math.max(${least}, width / ${width})).toFixed(2)`,
  };
}

/** Multipliers at which every length stays in range. */
function limitsOf(segment: string, listing: Listing): [least: number, most: number] {
  const { min = 1, max = 1 } = shapeOf(listing.image, MULTIPLIER);
  const layers = layersOf(segment).flatMap((written) => readLayer(written) ?? []);
  const bounds = [
    ...boundsOf(readSegment(segment, listing.image), listing.image, listing),
    ...layers.flatMap((layer) => {
      const list = listOf(layer, listing);
      return boundsOf(readParts(layer.parts, list), list, listing);
    }),
  ];
  const least = Math.max(min, ...bounds.map(({ smallest }) => smallest));
  const most = Math.min(max, ...bounds.map(({ largest }) => largest));
  return [Math.ceil(least * 100) / 100, Math.floor(most * 100) / 100];
}

/** Smallest and largest multiplier of each length. */
function boundsOf(parts: readonly Part[], parameters: readonly Parameter[], listing: Listing) {
  return parts.flatMap(({ key, value }) => {
    const { min = 0, max = shapeOf(listing.image, 'w').max ?? 0 } = shapeOf(parameters, key);
    const largest = LISTED.has(key) ? [max] : (LARGEST[key] ?? []);
    // Sides and positions of layers with a decimal point are relative and do not scale.
    if (value.includes('.') && ['w', 'h', 'x', 'y'].includes(key)) return [];
    const lengths = value.split(':').map((text) => Math.abs(Number(text)));
    return lengths.flatMap((length, index) => {
      const most = largest[index];
      return length > 0 && most !== undefined ? { smallest: min / length, largest: most / length } : [];
    });
  });
}

const shapeOf = (parameters: readonly Parameter[], key: string) =>
  (parameters.find((one) => one.key === key)?.shape ?? {}) as Partial<Shape>;
