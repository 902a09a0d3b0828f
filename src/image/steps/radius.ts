import type { OverlayOptions } from 'sharp';
import type { Syntax } from '../../transformation/param.ts';
import type { Colour } from '../../transformation/syntax.ts';
import { type Corner, cornersOf, type Radius, shareOutside } from '../layout/corners.ts';
import type { Size } from '../layout/geometry.ts';
import { defineStep, isOpaque, paintOf, paintsWhite, type RenderPlan } from '../step.ts';

export const radii: Syntax<Radius> = {
  parse(text) {
    if (text === 'max') return { value: 'max' };
    if (!/^\d{1,6}(:\d{1,6}){0,3}$/.test(text)) return undefined;
    const [first = 0, second = first, third = first, fourth = second] = text.split(':').map(Number);
    return { value: [first, second, third, fourth] };
  },
  format(value) {
    if (value === 'max') return 'max';
    const [topLeft, topRight, bottomRight, bottomLeft] = value;
    if (topRight !== bottomLeft) return value.join(':');
    if (topLeft !== bottomRight) return `${topLeft}:${topRight}:${bottomRight}`;
    return topLeft === topRight ? String(topLeft) : `${topLeft}:${topRight}`;
  },
  forms: 'one to four whole numbers of pixels joined by `:`, or `max`',
  shape: () => ({ kind: 'corners' }),
};

export const radius = defineStep({
  name: 'radius',
  key: 'r',
  syntax: radii,
  default: [0, 0, 0, 0],
  scale(value, factor) {
    if (value === 'max') return value;
    const scaled = (side: number) => Math.round(side * factor);
    return [scaled(value[0]), scaled(value[1]), scaled(value[2]), scaled(value[3])] as const;
  },
  reference: {
    summary:
      'Rounds the corners of the result: `r_20` all; `r_20:0` top left and bottom right, then the other two; `r_20:0:40` top left, top right and bottom left, bottom right; `r_1:2:3:4` clockwise from the top left; `r_max` a circle or an oval. At most half the shorter side. Cut corners are transparent unless `b` is set.',
    examples: ['w_300,h_200,r_40,f_png', 'w_300,h_200,r_60:0,b_336699', 'w_200,h_200,r_max,f_png'],
  },
  outputRate: () => 17,
  effect(value, plan) {
    const corners = value ? cornersOf(value, plan.layout.output) : [];
    if (corners.length === 0) return undefined;
    return { overlays: () => cornerTiles(corners, plan), inAnyColourSpace: paintsWhite(plan) };
  },
  addsAlpha: (value, { hasBackground, background }) =>
    value !== undefined && (!hasBackground || background.alpha < 255),
});

/** Small images that cut the corners out and, with a paint, fill them again. */
function cornerTiles(corners: readonly Corner[], plan: RenderPlan): OverlayOptions[] {
  const { hasBackground, format, sourceAlpha, layout } = plan;
  const paint = hasBackground || isOpaque(format) ? paintOf(plan) : undefined;
  const isCovering = paint?.alpha === 255 && (!sourceAlpha || isOpaque(format));
  return corners.flatMap((corner) => tilesOf(corner, layout.output, paint, isCovering));
}

/**
 * On an edge pixel the cut and the fill together give exactly `original * (1 - cut) + paint * cut`. On an opaque image,
 * laying an opaque paint over it gives the same in one go.
 */
function tilesOf(corner: Corner, output: Size, paint: Colour | undefined, isCovering: boolean): OverlayOptions[] {
  const width = Math.ceil(corner.radiusX);
  const height = Math.ceil(corner.radiusY);
  const place = {
    left: corner.isRight ? output.width - width : 0,
    top: corner.isBottom ? output.height - height : 0,
  };
  const drawn = (colour: readonly number[], alphaOf: (coverage: number) => number) => ({
    input: tile(corner, { width, height }, colour, alphaOf),
    raw: { width, height, channels: (colour.length + 1) as 2 | 4 },
    ...place,
  });
  const colour = paint && [paint.red, paint.green, paint.blue];
  if (colour && isCovering) return [{ ...drawn(colour, (coverage) => coverage), blend: 'over' }];
  const cut = { ...drawn([0], (coverage) => coverage), blend: 'dest-out' as const };
  if (!colour) return [cut];
  const fill = drawn(colour, (coverage) => (coverage > 0 ? paint.alpha : 0));
  return [cut, { ...fill, blend: 'dest-over' }];
}

/**
 * A tile of one colour whose alpha depends on how much of each pixel lies outside the ellipse (0 to 255). From the
 * image's edge on, each row is outside, then crosses the ellipse, then is inside. Only the crossing is computed pixel
 * by pixel.
 */
function tile(corner: Corner, size: Size, colour: readonly number[], alphaOf: (coverage: number) => number): Buffer {
  const channels = colour.length + 1;
  const pixels = Buffer.alloc(size.width * size.height * channels);
  const pixel = (coverage: number) => Buffer.from([...colour, alphaOf(coverage)]);
  const outermost = pixel(255);
  for (let y = 0; y < size.height; y++) {
    const row = corner.isBottom ? size.height - 1 - y : y;
    const coverageAt = (column: number) => Math.round(shareOutside(corner, column + 0.5, row + 0.5) * 255);
    const at = (column: number) => (y * size.width + (corner.isRight ? size.width - 1 - column : column)) * channels;
    let column = firstBelow(255, coverageAt, size.width);
    const [first, last] = corner.isRight ? [column - 1, 0] : [0, column - 1];
    if (column > 0) pixels.fill(outermost, at(first), at(last) + channels);
    for (; column < size.width && coverageAt(column) > 0; column++) pixel(coverageAt(column)).copy(pixels, at(column));
  }
  return pixels;
}

/** Returns the first of `count` positions where a falling value is below a limit. */
function firstBelow(value: number, valueAt: (place: number) => number, count: number): number {
  let low = 0;
  let high = count;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (valueAt(middle) < value) high = middle;
    else low = middle + 1;
  }
  return low;
}
