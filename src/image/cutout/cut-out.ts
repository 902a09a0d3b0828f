import type { Cutout } from '../analysis/analysis.ts';
import { withAlpha } from '../drawing/alpha.ts';
import { lateSharp } from '../drawing/late-sharp.ts';
import { type Layout, type Rectangle, type Size, WHOLE } from '../layout/geometry.ts';
import type { HeldImage } from '../step.ts';

interface Mask extends Size {
  data: Buffer;
  /** From where to where it is the image, in its pixels, the first of which is at 0. */
  left: number;
  top: number;
  right: number;
  bottom: number;
}

/** Bytes of mask and alpha channel for each pixel of the result. */
export const CUTOUT_BYTES = 6;

/** Makes transparent what of an image is not within its mask. @param image the content of the layout */
export async function cutOut(
  image: HeldImage,
  { mask: png, area = WHOLE }: Cutout & { mask: string },
  layout: Layout,
): Promise<HeldImage> {
  const mask = await openMask(png, area, layout);
  const clear = withAlpha(image);
  const { data, width, height } = clear;
  const { across, down } = originIn(mask, layout);
  for (let row = 0, at = 3; row < height; row++) {
    const x = across[1] * row + across[2];
    const y = down[1] * row + down[2];
    for (let column = 0; column < width; column++, at += 4) {
      const level = levelAt(mask, x + across[0] * column, y + down[0] * column);
      data[at] = ((data[at] as number) * level) / 255 + 0.5;
    }
  }
  return clear;
}

/** Decodes the mask, scaled down if it has more pixels than the result, so that each of them counts. */
async function openMask(png: string, area: Rectangle, { upright, area: visible, content }: Layout): Promise<Mask> {
  const sharp = await lateSharp();
  const image = sharp(Buffer.from(png, 'base64'));
  const own = await image.metadata();
  const scale = Math.max(content.width / visible.width, content.height / visible.height);
  const width = Math.max(1, Math.round((upright.width / area.width) * scale));
  const height = Math.max(1, Math.round((upright.height / area.height) * scale));
  const sized = width < own.width && height < own.height ? image.resize(width, height, { fit: 'fill' }) : image;
  const { data, info } = await sized.toColourspace('b-w').raw().toBuffer({ resolveWithObject: true });
  const left = info.width * area.left - 0.5;
  const top = info.height * area.top - 0.5;
  const right = left + info.width * area.width;
  const bottom = top + info.height * area.height;
  return { data, width: info.width, height: info.height, left, top, right, bottom };
}

/** The origin of pixels in those of a mask, the first of which is at 0. */
function originIn(mask: Mask, layout: Layout): Origin {
  const { across, down } = originOf(layout);
  const x = (mask.right - mask.left) / layout.upright.width;
  const y = (mask.bottom - mask.top) / layout.upright.height;
  return {
    across: [across[0] * x, across[1] * x, across[2] * x + mask.left],
    down: [down[0] * y, down[1] * y, down[2] * y + mask.top],
  };
}

/** Interpolates between the four pixels around a position; 0 outside the image. */
function levelAt(mask: Mask, x: number, y: number): number {
  if (x < mask.left || y < mask.top || x > mask.right || y > mask.bottom) return 0;
  const { data, width, height } = mask;
  const column = Math.min(width - 1, Math.max(0, x));
  const row = Math.min(height - 1, Math.max(0, y));
  const left = Math.floor(column);
  const top = Math.floor(row);
  const right = left < width - 1 ? 1 : 0;
  const above = top * width + left;
  const below = top < height - 1 ? above + width : above;
  const across = column - left;
  const upper = mix(data[above] as number, data[above + right] as number, across);
  return mix(upper, mix(data[below] as number, data[below + right] as number, across), row - top);
}

const mix = (one: number, other: number, way: number) => one + (other - one) * way;

/**
 * Source position of a pixel of the content: `x = across[0] * column + across[1] * row + across[2]`, and `y` by `down`.
 */
interface Origin {
  across: readonly [number, number, number];
  down: readonly [number, number, number];
}

/**
 * Returns the position of the middle of each pixel of the content in the upright image, in its pixels: undoes the crop
 * and the turn.
 */
function originOf({ upright, turned, area: visible, content, isMirrored, angle }: Layout): Origin {
  const radians = (angle * Math.PI) / 180;
  const cosine = Math.cos(radians);
  const sine = Math.sin(radians);
  const scale = { x: visible.width / content.width, y: visible.height / content.height };
  // From the middle of the turned image to the middle of the first pixel.
  const x = visible.left + scale.x / 2 - turned.width / 2;
  const y = visible.top + scale.y / 2 - turned.height / 2;
  const side = isMirrored ? -1 : 1;
  return {
    across: [side * cosine * scale.x, side * sine * scale.y, side * (cosine * x + sine * y) + upright.width / 2],
    down: [-sine * scale.x, cosine * scale.y, cosine * y - sine * x + upright.height / 2],
  };
}
