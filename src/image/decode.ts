import sharp, { type Sharp } from 'sharp';
import type { Size } from './geometry.ts';

export interface InputLimits {
  inputMegapixels: number;
}

/** A picture whose header has been read; its pixels are decoded when the chain runs. */
export interface Picture {
  image: Sharp;
  /** As displayed, after the EXIF orientation. */
  upright: Size;
  hasAlpha: boolean;
}

/** The bytes are no picture that can be shown: broken, empty, or of a kind that cannot be decoded. */
export class UndecodableImage extends Error {
  override name = 'UndecodableImage';
}

/** The picture is larger than the service is set to work on; the message names the limit and its setting. */
export class LimitExceeded extends Error {
  override name = 'LimitExceeded';
}

/** Decoders that untrusted files may reach. Everything else that libvips could load is blocked. */
const ALLOWED_LOADERS = [
  'VipsForeignLoadJpegFile',
  'VipsForeignLoadPngFile',
  'VipsForeignLoadWebpFile',
  'VipsForeignLoadHeifFile',
  'VipsForeignLoadNsgifFile',
];

/** Sets up this process for untrusted pictures: one thread for each operation, no cache, only the allowed decoders. */
export function prepareSharp(): void {
  sharp.cache(false);
  sharp.concurrency(1);
  sharp.block({ operation: ['VipsForeignLoad'] });
  sharp.unblock({ operation: ALLOWED_LOADERS });
}

/**
 * Opens a picture file. Only its header is read, and its size is checked before any pixel is.
 * @throws UndecodableImage, LimitExceeded
 */
export async function openPicture(file: string, limits: InputLimits): Promise<Picture> {
  const header = await sharp(file, { limitInputPixels: false })
    .metadata()
    .catch((cause) => {
      throw new UndecodableImage('The file has no readable picture header.', { cause });
    });
  const { width, height } = header.autoOrient;
  const megapixels = (width * height) / 1e6;
  if (megapixels > limits.inputMegapixels) {
    throw new LimitExceeded(
      `The original has ${megapixels.toFixed(1)} megapixels (${width}x${height}); the limit is ${limits.inputMegapixels} (MAX_INPUT_MEGAPIXELS).`,
    );
  }
  const image = sharp(file, { limitInputPixels: limits.inputMegapixels * 1e6, failOn: 'error' });
  return { image, upright: { width, height }, hasAlpha: header.hasAlpha };
}
