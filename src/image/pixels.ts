import type { Metadata } from 'sharp';
import type { BecomesSrgb } from './drawing/chains.ts';

/** State of coded pixels: `shown` for upright sRGB of 8 bits, `profiled` for the same with a colour profile. */
export type CodedPixels = 'shown' | 'profiled' | 'other';

export function codedPixels({ icc, orientation = 1, space, depth, format, pages = 1 }: Metadata): CodedPixels {
  // An AVIF of several images holds more than what is shown.
  const isAlone = format !== 'heif' || pages === 1;
  const isShown = isAlone && orientation === 1 && depth === 'uchar' && (space === 'srgb' || space === 'b-w');
  return isShown ? (icc ? 'profiled' : 'shown') : 'other';
}

export function becomesSrgb({ space, depth, icc }: Metadata): BecomesSrgb {
  if (depth !== 'uchar' || space === 'b-w') return 'at the end';
  return space === 'srgb' && !icc ? 'at once' : 'once scaled';
}

/** sharp calls AVIF by the name of its container. */
export function formatOf({ format, compression }: Metadata): string {
  return format === 'heif' && compression === 'av1' ? 'avif' : format;
}
