import type { AvifOptions, GifOptions, JpegOptions, PngOptions, Sharp, WebpOptions } from 'sharp';
import type { ImageFormat } from '../step.ts';

/** Options of sharp's `jpeg()`, `webp()`, `avif()`, `png()` and `gif()`. */
export interface EncoderOptions {
  jpeg: JpegOptions;
  webp: WebpOptions;
  avif: AvifOptions;
  png: PngOptions;
  gif: GifOptions;
}

/** Encoder qualities that look the same to the eye as a `q`; docs/encoders.md has the measurements. */
export const EQUIVALENTS: readonly { q: number; jpeg: number; webp: number; avif: number }[] = [
  { q: 1, jpeg: 1, webp: 1, avif: 1 },
  { q: 10, jpeg: 10, webp: 1, avif: 4 },
  { q: 20, jpeg: 20, webp: 11, avif: 24 },
  { q: 30, jpeg: 30, webp: 27, avif: 35 },
  { q: 40, jpeg: 40, webp: 37, avif: 40 },
  { q: 50, jpeg: 50, webp: 45, avif: 45 },
  { q: 60, jpeg: 60, webp: 59, avif: 49 },
  { q: 70, jpeg: 70, webp: 71, avif: 55 },
  { q: 75, jpeg: 75, webp: 78, avif: 60 },
  { q: 80, jpeg: 80, webp: 82, avif: 63 },
  { q: 85, jpeg: 85, webp: 86, avif: 68 },
  { q: 90, jpeg: 90, webp: 89, avif: 76 },
  { q: 95, jpeg: 95, webp: 94, avif: 85 },
  { q: 100, jpeg: 100, webp: 100, avif: 95 },
];

/** The encoder's own quality, an integer of 1 to 100, for the `q` of a URL. PNG and GIF have none and give 100. */
export function encoderQuality(format: ImageFormat, q: number): number {
  if (format === 'png' || format === 'gif') return 100;
  const above = EQUIVALENTS.find((row) => row.q >= q) ?? EQUIVALENTS.at(-1);
  const below = EQUIVALENTS.findLast((row) => row.q <= q) ?? EQUIVALENTS[0];
  if (!above || !below) return q;
  const share = above.q === below.q ? 0 : (q - below.q) / (above.q - below.q);
  return Math.round(below[format] + share * (above[format] - below[format]));
}

/**
 * Megapixels above which an encoder is set to take less memory, at the price of some bytes. Below them it takes up to
 * 250 MB: 6 bytes a pixel for JPEG, 16 for WebP and 32 for AVIF. Above them it takes next to nothing, 6 and 21.
 */
export const LARGE_MEGAPIXELS = { jpeg: 32, webp: 16, avif: 8 } as const;

/**
 * Megapixels above which a PNG with alpha is compressed a level less. A photo with rounded corners takes up to twice
 * the time of an opaque one; with a level less it takes 1.3 times, and 1 to 3 % more bytes.
 */
const LARGE_TRANSPARENT_PNG = 4;

/** The options of sharp's encoder for a format, a `q` of 1 to 100, and the size of the result in megapixels. */
export function encoderOptions<F extends ImageFormat>(
  format: F,
  q: number,
  megapixels = 0,
  hasAlpha = false,
): EncoderOptions[F] {
  const options = encoderSettings(format, encoderQuality(format, q), megapixels);
  const isSlow = format === 'png' && hasAlpha && megapixels > LARGE_TRANSPARENT_PNG;
  return isSlow ? { ...options, compressionLevel: 5 } : options;
}

/** The options of sharp's encoder for a quality of the encoder's own scale; chosen in docs/encoders.md. */
export function encoderSettings<F extends ImageFormat>(format: F, quality: number, megapixels = 0): EncoderOptions[F] {
  const settings: EncoderOptions = {
    // A quality above 95 means sharp coloured edges too.
    jpeg: { quality, progressive: true, quantisationTable: 3, chromaSubsampling: quality > 95 ? '4:4:4' : '4:2:0' },
    webp: { quality, effort: 4, smartSubsample: true },
    avif: { quality, effort: 1, chromaSubsampling: '4:4:4' },
    png: { compressionLevel: 6, adaptiveFiltering: true, palette: false },
    gif: { effort: 4 },
  };
  return { ...settings[format], ...largeSettings(format, megapixels) };
}

/** Adds an XMP packet to the result, and no other metadata of the original. A GIF has no slot for it. */
export function addXmp(image: Sharp, xmp: string | undefined): Sharp {
  return xmp === undefined ? image : image.withXmp(xmp);
}

/** Settings with which the encoder goes through the image once, or makes no copies at a higher resolution. */
function largeSettings(format: ImageFormat, megapixels: number): JpegOptions | WebpOptions | AvifOptions {
  if (format === 'jpeg' && megapixels > LARGE_MEGAPIXELS.jpeg) return { progressive: false, optimiseCoding: false };
  if (format === 'webp' && megapixels > LARGE_MEGAPIXELS.webp) return { smartSubsample: false };
  if (format === 'avif' && megapixels > LARGE_MEGAPIXELS.avif) return { chromaSubsampling: '4:2:0' };
  return {};
}
