import type { Raw } from 'sharp';
import type { Syntax } from '../../transformation/param.ts';
import { type Colour, colour } from '../../transformation/syntax.ts';
import { lateSharp } from '../drawing/late-sharp.ts';
import type { Point } from '../layout/geometry.ts';
import type { HeldImage } from '../step.ts';

/** As a drop shadow of CSS: how far it is thrown to the right and down, how far its edge is blurred, in pixels. */
export interface Shadow {
  x: number;
  y: number;
  blur: number;
  colour: Colour;
}

const MAX_OFFSET = 200;
const MAX_BLUR = 50;
/** libvips blurs by no less. */
const MIN_SIGMA = 0.3;
/** Sigmas from its middle at which a Gaussian is negligible. */
const REACH = 3;

const colours = colour({ isBare: true });
const FORM = `x:y:blur:colour, x and y from -${MAX_OFFSET} to ${MAX_OFFSET}, blur from 0 to ${MAX_BLUR}`;

export const shadows: Syntax<Shadow> = {
  parse(text, rules) {
    const [x = '', y = '', blur = '', name = '', ...more] = text.split(':');
    const paint = colours.parse(name, rules);
    const isForm = [x, y].every((offset) => /^-?\d{1,4}$/.test(offset)) && /^\d{1,4}$/.test(blur);
    if (!isForm || !paint || 'expected' in paint || more.length > 0) return undefined;
    const value = { x: Number(x) + 0, y: Number(y) + 0, blur: Number(blur), colour: paint.value };
    const isInRange = Math.max(Math.abs(value.x), Math.abs(value.y)) <= MAX_OFFSET && value.blur <= MAX_BLUR;
    return isInRange ? { value } : { expected: FORM };
  },
  format: ({ x, y, blur, colour: paint }) => `${x}:${y}:${blur}:${colours.format(paint)}`,
  forms: `\`x:y:blur:colour\`, x and y from -${MAX_OFFSET} to ${MAX_OFFSET} pixels, blur from 0 to ${MAX_BLUR} pixels, and a colour (${colours.forms})`,
  shape: () => ({ kind: 'text' }),
};

export function scaleShadow({ x, y, blur, colour: paint }: Shadow, factor: number): Shadow {
  const scaled = (length: number) => Math.round(length * factor);
  return { x: scaled(x), y: scaled(y), blur: scaled(blur), colour: paint };
}

/** The shadow of an image, and where its top left corner lies from that of the image. */
export async function shadowOf(original: HeldImage, { x, y, blur, colour: paint }: Shadow) {
  // CSS calls twice the sigma the radius of a blur.
  const sigma = blur / 2;
  const margin = sigma < MIN_SIGMA ? 0 : Math.ceil(sigma * REACH);
  const size = { width: original.width + 2 * margin, height: original.height + 2 * margin };
  const shape = outline(original, margin, size);
  const raw = { ...size, channels: 1 as const };
  const soft = margin === 0 ? shape : await softened(shape, raw, sigma);
  const offset: Point = { left: x - margin, top: y - margin };
  return { original: tinted(soft, size, paint), offset };
}

async function softened(shape: Buffer, raw: Raw, sigma: number): Promise<Buffer> {
  const sharp = await lateSharp();
  return sharp(shape, { raw, limitInputPixels: false }).blur(sigma).toColourspace('b-w').raw().toBuffer();
}

/** Alpha of each pixel, with a margin around it. */
function outline(
  { data, width, height, channels }: HeldImage,
  margin: number,
  size: { width: number; height: number },
) {
  const shape = Buffer.alloc(size.width * size.height);
  for (let y = 0; y < height; y++) {
    const to = (y + margin) * size.width + margin;
    if (channels !== 4) shape.fill(255, to, to + width);
    else for (let x = 0, from = y * width * 4 + 3; x < width; x++, from += 4) shape[to + x] = data[from] as number;
  }
  return shape;
}

function tinted(
  shape: Buffer,
  size: { width: number; height: number },
  { red, green, blue, alpha }: Colour,
): HeldImage {
  const data = Buffer.alloc(shape.length * 4, Buffer.from([red, green, blue, 0]));
  for (let at = 0, to = 3; at < shape.length; at++, to += 4) {
    data[to] = Math.round(((shape[at] as number) * alpha) / 255);
  }
  return { ...size, channels: 4, data };
}
