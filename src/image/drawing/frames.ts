import sharp, { type Sharp } from 'sharp';
import type { OpenImage } from '../decode.ts';
import type { Size } from '../layout/geometry.ts';

/**
 * The frames of an animation in memory, each below the one before it: rows of interleaved sRGB samples of 8 bits, alpha
 * last and not premultiplied.
 */
export interface Frames {
  data: Buffer;
  /** Of one frame. */
  size: Size;
  channels: 3 | 4;
  /** For how long each frame is shown, in milliseconds. */
  delays: readonly number[];
  /** Number of repetitions; 0 for an endless loop. */
  loop: number;
}

/** Number of frames of an image that can be decoded together. */
export function countFrames({ format, count }: Pick<OpenImage, 'format' | 'count'>): number {
  return format === 'webp' || format === 'gif' ? count : 1;
}

/** All frames as one tall image, of which libvips knows where each begins. */
export function imageOfFrames({ data, size, channels, delays }: Frames): Sharp {
  const raw = { width: size.width, height: size.height * delays.length, channels, pageHeight: size.height };
  return sharp(data, { raw, limitInputPixels: false });
}
