import { readExifBlock, textOf } from '@darkroom/image-files/rights/rights';

/** Time, camera and position of a shot, from its EXIF block. */
export interface Capture {
  /** ISO 8601 without a fraction: with the offset from UTC where the camera wrote one, else in its local time. */
  takenAt: string | undefined;
  /** Make and model. */
  camera: string | undefined;
  /** True if the file states a position. The position itself is not read. */
  hasGps: boolean;
}

const LONGEST_NAME = 100;

/** Nothing of a block that is missing or cannot be read. Source: Exif 2.32, 4.6. */
export function readCapture(exif: Buffer | undefined): Capture {
  const { Image, Photo, GPSInfo } = readExifBlock(exif);
  return {
    takenAt: timeOf(Photo?.DateTimeOriginal, Photo?.OffsetTimeOriginal),
    camera: cameraOf(nameOf(Image?.Make), nameOf(Image?.Model)),
    // Cameras without a receiver write a directory that has only its version.
    hasGps: GPSInfo?.GPSLatitude != null && GPSInfo.GPSLongitude != null,
  };
}

/** @param local what the camera's clock showed, which the reader gives as if it were UTC */
function timeOf(local: unknown, offset: unknown): string | undefined {
  if (!(local instanceof Date) || Number.isNaN(local.getTime())) return undefined;
  const time = local.toISOString().replace(/\.\d+Z$/, '');
  // Zeros, of a clock that was never set, come as the end of 1899.
  if (!/^\d{4}-/.test(time) || time < '1900') return undefined;
  const zone = typeof offset === 'string' && /^[+-](0\d|1[0-4]):[0-5]\d$/.test(offset) ? offset : '';
  return time + zone;
}

/** Most models begin with the make already. */
function cameraOf(make: string | undefined, model: string | undefined): string | undefined {
  if (!make || !model) return make || model;
  const [brand = ''] = make.toLowerCase().split(' ');
  return model.toLowerCase().startsWith(brand) ? model : `${make} ${model}`;
}

export function nameOf(value: unknown): string | undefined {
  if (typeof value !== 'string' && !Buffer.isBuffer(value)) return undefined;
  const text = textOf(value)
    .replace(/\0.*$/s, '')
    .replace(/[\p{Cc}\s]+/gu, ' ');
  return text.trim().slice(0, LONGEST_NAME) || undefined;
}
