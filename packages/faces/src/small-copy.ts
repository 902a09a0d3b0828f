import sharp, { type Sharp } from 'sharp';

/** Longer side of the copy, in pixels; `docs/face-detection.md` has the measurements. */
const SIDE = 480;

/**
 * Makes a small copy of an image as displayed, on white, in memory. Decoding a large image takes longer than analysing
 * it, so several analyses share the copy.
 * @returns 8-bit sRGB, grey or colour, never larger than the image
 * @throws the error of sharp if the image cannot be decoded
 */
export async function smallCopy(image: Sharp): Promise<Sharp> {
  const { data, info } = await image
    .clone()
    .autoOrient()
    .flatten({ background: 'white' })
    .resize(SIDE, SIDE, { fit: 'inside', withoutEnlargement: true })
    .toColourspace('srgb')
    .raw({ depth: 'uchar' })
    .toBuffer({ resolveWithObject: true });
  return sharp(data, { raw: { width: info.width, height: info.height, channels: info.channels } });
}
