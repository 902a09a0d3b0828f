import type { Size } from './geometry.ts';

/** Largest result. Pixels are whole numbers, not megapixels. */
export interface OutputLimits {
  side: number;
  pixels: number;
}

/**
 * The video is valid, but the request cannot be fulfilled, and a retry would fail the same way. The message is for the
 * client.
 */
export class ImpossibleTranscode extends Error {
  override name = 'ImpossibleTranscode';
}

/**
 * An encoder exceeded a limit of the server and was stopped. The message names the limit, its value and its setting.
 */
export class EncoderOverLimit extends ImpossibleTranscode {
  override name = 'EncoderOverLimit';
}

/** @throws ImpossibleTranscode when the frames of a video exceed the input limit */
export function checkInput({ width, height }: Size, maxPixels: number): void {
  if (width * height <= maxPixels) return;
  const message = `The video has ${width} x ${height} pixels; the limit is ${maxPixels / 1e6} megapixels (MAX_INPUT_MEGAPIXELS).`;
  throw new ImpossibleTranscode(message);
}

/**
 * Describes the limit that a result exceeds, with its value and setting; undefined if it exceeds none.
 * @param size as far as it is known
 */
export function describeExcess(size: Partial<Size>, { side, pixels }: OutputLimits): string | undefined {
  const { width = 0, height = 0 } = size;
  if (Math.max(width, height) > side) {
    return `${describe(size)}; the limit for a side is ${side} (MAX_VIDEO_OUTPUT_SIDE).`;
  }
  if (width * height > pixels) {
    return `${describe(size)}; the limit is ${pixels / 1e6} megapixels (MAX_VIDEO_OUTPUT_MEGAPIXELS).`;
  }
  return undefined;
}

function describe({ width, height }: Partial<Size>): string {
  if (width !== undefined && height !== undefined) return `The result would have ${width} x ${height} pixels`;
  return width === undefined ? `The result would be ${height} pixels high` : `The result would be ${width} pixels wide`;
}
