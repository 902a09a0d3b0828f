import sharp, { type Sharp } from 'sharp';

/** The longer side, in pixels, of the copy; `docs/face-detection.md` has the measurements. */
const SIDE = 480;

/**
 * A small copy of a picture as displayed, on white, in memory. Decoding a large picture takes longer than looking at it, so what
 * looks twice looks at this.
 * @returns sRGB of 8 bits, grey or colour, never larger than the picture
 * @throws the error of sharp when the picture cannot be decoded
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
