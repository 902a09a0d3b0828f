import type { Sharp } from 'sharp';
import { type Blur, type Colour, colour, isBlur, orAuto, orBlur } from '../../transformation/syntax.ts';
import { onBackground } from '../drawing/alpha.ts';
import { lateSharp } from '../drawing/late-sharp.ts';
import type { Layout } from '../layout/geometry.ts';
import {
  defineStep,
  type Effect,
  type HeldImage,
  isOpaque,
  paintOf,
  paintsWhite,
  type RenderPlan,
  sharpColour,
} from '../step.ts';

/** A colour; that of the image's edge; or how much a copy of the image is blurred, in pixels. */
export type Background = Colour | 'auto' | Blur;

/** The copy is blurred at this part of its size. */
const BLUR_SHRINK = 8;
/** Bytes of the copy and the result for each pixel. */
const BLUR_BYTES = 12;

export const background = defineStep({
  name: 'background',
  key: 'b',
  aliases: ['bg'],
  syntax: orBlur(orAuto(colour())),
  isLate: (value) => value === 'auto' || isBlur(value),
  needs: (value) => (value === 'auto' ? { kind: 'ground' } : undefined),
  scale: (value, factor) => (isBlur(value) ? { blur: value.blur * factor } : value),
  reference: {
    summary:
      'Colour of bars and padding, of the corners of a rotated image, of cut corners, and behind transparency in a format without it. Default white; cut corners are transparent. `auto` is the most common colour along the outer edge of the image, or none if most of the edge is transparent. With `blur`, bars and padding show the image itself; the value is the sigma in pixels (default 20).',
    examples: [
      'w_300,h_300,c_pad,b_rgb:336699',
      'w_300,h_300,c_pad,b_transparent,f_png',
      'w_300,h_300,c_pad,b_auto',
      'w_300,h_300,c_pad,b_blur',
    ],
  },
  outputRate: (value) => (isBlur(value) ? 30 : 0),
  effect(_value, plan) {
    const { layout, backgroundBlur, sourceAlpha, format } = plan;
    const isFlattened = sourceAlpha && isOpaque(format) && !plan.layers.some(({ blend }) => blend === 'behind');
    if (!isFlattened && !hasBars(layout)) return undefined;
    if (backgroundBlur !== undefined && hasBars(layout)) return blurredBars(backgroundBlur, isFlattened, plan);
    const paint = sharpColour(paintOf(plan));
    return {
      // sharp flattens before it resizes, which gives the same result.
      place: 'extend',
      size: layout.output,
      inAnyColourSpace: paintsWhite(plan),
      apply(image) {
        const ground = isFlattened ? image.flatten({ background: paint }) : image;
        return hasBars(layout) ? ground.extend({ ...barsOf(layout), background: paint }) : ground;
      },
    };
  },
  addsAlpha: (_value, { layout, background }) => hasBars(layout) && background.alpha < 255,
});

function hasBars({ content, output }: Layout): boolean {
  return output.width !== content.width || output.height !== content.height;
}

function barsOf({ content, output, offset }: Layout) {
  return {
    left: offset.left,
    top: offset.top,
    right: output.width - content.width - offset.left,
    bottom: output.height - content.height - offset.top,
  };
}

function blurredBars(sigma: number, isFlattened: boolean, plan: RenderPlan): Effect {
  const { output } = plan.layout;
  return {
    size: output,
    megabytes: (output.width * output.height * BLUR_BYTES) / 1e6,
    async redraw(image) {
      const shown = isFlattened ? await onBackground(image, paintOf(plan)) : image;
      return drawOverBlurred(shown, sigma, plan.layout);
    },
  };
}

/** Lays an image over a blurred copy of itself that covers the result. */
async function drawOverBlurred(image: HeldImage, sigma: number, { output, offset }: Layout): Promise<HeldImage> {
  const { data, ...raw } = image;
  const sharp = await lateSharp();
  const small = (side: number) => Math.max(1, Math.round(side / BLUR_SHRINK));
  const size = { width: small(output.width), height: small(output.height) };
  const covering = sharp(data, { raw, limitInputPixels: false }).resize({ ...size, fit: 'cover' });
  const copy = await covering
    .blur(Math.max(0.3, sigma / BLUR_SHRINK))
    .raw()
    .toBuffer();
  const large = sharp(copy, { raw: { ...size, channels: raw.channels } });
  const cover = large.resize({ ...output, fit: 'fill', kernel: 'cubic' });
  if (raw.channels === 4) return rawOf(cover.composite([{ input: data, raw, ...offset }]));
  const drawn = await rawOf(cover);
  const row = raw.width * raw.channels;
  for (let y = 0; y < raw.height; y++) {
    data.copy(drawn.data, ((offset.top + y) * drawn.width + offset.left) * raw.channels, y * row, (y + 1) * row);
  }
  return drawn;
}

async function rawOf(image: Sharp): Promise<HeldImage> {
  const { data, info } = await image.raw().toBuffer({ resolveWithObject: true });
  return { data, width: info.width, height: info.height, channels: info.channels };
}
