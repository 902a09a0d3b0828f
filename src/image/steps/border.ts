import type { Syntax } from '../../transformation/param.ts';
import { type Colour, colour } from '../../transformation/syntax.ts';
import { type Corner, cornersOf, type Radius, shareOutside } from '../layout/corners.ts';
import { defineStep, type HeldImage } from '../step.ts';

export interface Border {
  /** Pixels. */
  width: number;
  colour: Colour;
}

const colours = colour({ isBare: true });

/** A width and a colour. @param max of the width, in pixels */
export function borders(max: number): Syntax<Border> {
  return {
    parse(text, rules) {
      const [side = '', name = '', ...more] = text.split(':');
      const paint = colours.parse(name, rules);
      if (!/^\d{1,6}$/.test(side) || !paint || 'expected' in paint || more.length > 0) return undefined;
      const width = Number(side);
      if (width < 1 || width > max) return { expected: `1 to ${max} pixels, then a colour` };
      return { value: { width, colour: paint.value } };
    },
    format: ({ width, colour }) => `${width}:${colours.format(colour)}`,
    forms: `\`width:colour\`, 1 to ${max} pixels and a colour (${colours.forms})`,
    shape: () => ({ kind: 'text' }),
  };
}

export function scaleBorder({ width, colour }: Border, factor: number): Border {
  return { width: Math.round(width * factor), colour };
}

export const border = defineStep({
  name: 'border',
  key: 'bo',
  syntax: borders(200),
  isLate: () => true,
  scale: scaleBorder,
  reference: {
    summary: 'Border within the edges of the result. It follows rounded corners (`r`).',
    examples: ['w_300,bo_8:336699', 'w_300,h_200,r_40,bo_6:ffb000,f_png'],
  },
  outputRate: () => 6,
  effect: (value, { radius }) => (value ? { redraw: (image) => paintBorder(image, value, radius) } : undefined),
});

/**
 * Paints a border. What it paints beyond rounded corners is cut away with them.
 * @param radius of the corners of the image
 */
function paintBorder(image: HeldImage, { width, colour }: Border, radius: Radius | undefined): HeldImage {
  const inner = { width: image.width - 2 * width, height: image.height - 2 * width };
  const paint = (left: number, top: number, right: number, bottom: number) => {
    for (let y = top; y < bottom; y++) for (let x = left; x < right; x++) layOver(image, x, y, colour, 1);
  };
  if (inner.width <= 0 || inner.height <= 0) {
    paint(0, 0, image.width, image.height);
    return image;
  }
  paint(0, 0, image.width, width);
  paint(0, image.height - width, image.width, image.height);
  paint(0, width, width, image.height - width);
  paint(image.width - width, width, image.width, image.height - width);
  for (const corner of radius ? innerCorners(radius, image, width) : []) paintCorner(image, corner, width, colour);
  return image;
}

/** The corners of what the border leaves: as round as those of the image, less its width. */
function innerCorners(radius: Radius, image: HeldImage, width: number): Corner[] {
  return cornersOf(radius, image)
    .map((corner) => ({ ...corner, radiusX: corner.radiusX - width, radiusY: corner.radiusY - width }))
    .filter(({ radiusX, radiusY }) => radiusX > 0 && radiusY > 0);
}

function paintCorner(image: HeldImage, corner: Corner, width: number, colour: Colour): void {
  for (let row = 0; row < corner.radiusY; row++) {
    const y = corner.isBottom ? image.height - 1 - width - row : width + row;
    for (let column = 0; column < corner.radiusX; column++) {
      const share = shareOutside(corner, column + 0.5, row + 0.5);
      if (share === 0) break;
      layOver(image, corner.isRight ? image.width - 1 - width - column : width + column, y, colour, share);
    }
  }
}

/** Lays a colour over a pixel. @param share how much of the pixel it covers */
function layOver(
  { data, width, channels }: HeldImage,
  x: number,
  y: number,
  { red, green, blue, alpha }: Colour,
  share: number,
): void {
  const at = (y * width + x) * channels;
  const hasAlpha = channels === 4;
  const over = (share * alpha) / 255;
  const under = ((hasAlpha ? (data[at + 3] as number) : 255) / 255) * (1 - over);
  const both = over + under;
  if (both === 0) return;
  const mix = (painted: number, before: number) => Math.round((painted * over + before * under) / both);
  data[at] = mix(red, data[at] as number);
  data[at + 1] = mix(green, data[at + 1] as number);
  data[at + 2] = mix(blue, data[at + 2] as number);
  if (hasAlpha) data[at + 3] = Math.round(both * 255);
}
