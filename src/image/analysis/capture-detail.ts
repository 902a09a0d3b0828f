import { type Rights, readExifBlock } from '@darkroom/image-files/rights/rights';
import { openImage } from '../decode.ts';
import { type ImageFailure, resultOf } from '../failure.ts';
import type { InputLimits } from '../input.ts';
import { type MemoryCheck, UNLIMITED } from '../memory.ts';
import { nameOf, readCapture } from './capture.ts';

export interface CaptureRequest {
  input: string;
  limits: InputLimits;
}

/** When, where and with what an image was taken; null where the file does not say it. For its owners alone. */
export interface CaptureDetail {
  /** ISO 8601: with the offset from UTC where the camera wrote one, else in its local time. */
  taken: string | null;
  camera: string | null;
  lens: string | null;
  /** Seconds. */
  exposureTime: number | null;
  fNumber: number | null;
  iso: number | null;
  /** Millimetres. */
  focalLength: number | null;
  copyright: string | null;
  artist: string | null;
  /** Degrees; north and east are positive. */
  position: { latitude: number; longitude: number } | null;
  /** Metres above the sea. */
  altitude: number | null;
}

export type CaptureResult = { outcome: 'read'; detail: CaptureDetail } | ImageFailure;

/**
 * Reads time, camera, exposure, rights and position of a shot.
 * @throws NeedsMemory when there is not enough for it
 */
export function readCaptureDetail(
  { input, limits }: CaptureRequest,
  checkMemory: MemoryCheck = UNLIMITED,
): Promise<CaptureResult> {
  return resultOf(async () => {
    const { exif, rights } = await openImage(input, limits, checkMemory);
    return { outcome: 'read', detail: detailOf(exif, rights) };
  });
}

/** Source: Exif 2.32, 4.6.5 and 4.6.6. */
function detailOf(exif: Buffer | undefined, rights: Partial<Rights> = {}): CaptureDetail {
  const { Photo, GPSInfo } = readExifBlock(exif);
  const { takenAt: taken = null, camera = null } = readCapture(exif);
  const { Copyright: copyright = null, Artist: artist = null } = rights;
  const latitude = degreesOf(GPSInfo?.GPSLatitude, GPSInfo?.GPSLatitudeRef, 'S', 90);
  const longitude = degreesOf(GPSInfo?.GPSLongitude, GPSInfo?.GPSLongitudeRef, 'W', 180);
  const height = numberOf(GPSInfo?.GPSAltitude);
  return {
    taken,
    camera,
    copyright,
    artist,
    lens: nameOf(Photo?.LensModel) ?? null,
    exposureTime: numberOf(Photo?.ExposureTime),
    fNumber: numberOf(Photo?.FNumber),
    iso: numberOf(Photo?.ISOSpeedRatings),
    focalLength: numberOf(Photo?.FocalLength),
    position: latitude === null || longitude === null ? null : { latitude, longitude },
    altitude: height === null ? null : isBelowSea(GPSInfo?.GPSAltitudeRef) ? -height : height,
  };
}

/** Degrees, minutes and seconds. */
function degreesOf(parts: unknown, reference: unknown, negative: 'S' | 'W', most: number): number | null {
  if (!Array.isArray(parts) || parts.length !== 3 || !parts.every((part) => Number.isFinite(part))) return null;
  const [degrees, minutes, seconds] = parts as [number, number, number];
  const value = degrees + minutes / 60 + seconds / 3600;
  if (value < 0 || value > most) return null;
  return Math.round((reference === negative ? -value : value) * 1e6) / 1e6;
}

function numberOf(value: unknown): number | null {
  const [first] = Array.isArray(value) ? value : [value];
  return typeof first === 'number' && Number.isFinite(first) ? first : null;
}

function isBelowSea(reference: unknown): boolean {
  const [first] = Buffer.isBuffer(reference) || Array.isArray(reference) ? reference : [reference];
  return first === 1;
}
