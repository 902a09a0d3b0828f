import { encode } from 'blurhash';
import sharp from 'sharp';
import { rgbaToThumbHash } from 'thumbhash';
import { onWhite, type Sample, shrinkInside } from './sample.ts';

export interface Placeholders {
  /** In base64. */
  thumbHash: string;
  blurHash: string;
}

/** Both hashes keep a handful of waves across the image: more pixels would cost time and show nothing. */
const SIDE = 32;

/** ThumbHash keeps alpha; BlurHash has none and shows the image on white. */
export function makePlaceholders(sample: Sample): Placeholders {
  const small = shrinkInside(sample, SIDE);
  const { width, height, rgba } = onWhite(small);
  const [across, down] = width >= height ? [4, 3] : [3, 4];
  return {
    thumbHash: Buffer.from(rgbaToThumbHash(small.width, small.height, small.rgba)).toString('base64'),
    blurHash: encode(new Uint8ClampedArray(rgba), width, height, across, down),
  };
}

/** The longer side of the tiny image, and its quality: what is drawn larger is blurred anyway. */
const TINY = { side: 16, quality: 20 };

/** A WebP of some hundred bytes as a data URI, which browsers show without a script. */
export async function makeTinyPicture(sample: Sample): Promise<string> {
  const { width, height, rgba } = shrinkInside(sample, TINY.side);
  const tiny = sharp(rgba, { raw: { width, height, channels: 4 } });
  const bytes = await tiny.webp({ quality: TINY.quality, alphaQuality: TINY.quality, effort: 6 }).toBuffer();
  return `data:image/webp;base64,${bytes.toString('base64')}`;
}
