import { MAX_CHANNELS } from '@darkroom/image-files/tiff/layout';
import { UndecodableImage } from '@darkroom/image-files/undecodable-image';
import type { Metadata } from 'sharp';

const MAX_BITS = 16;

/** @throws UndecodableImage for a TIFF that is no image for people */
export function checkTiff({ channels, bitsPerSample = 0, space }: Metadata): void {
  if (channels > MAX_CHANNELS) throw new UndecodableImage(`The TIFF has ${channels} channels.`);
  // libvips would show black in their place, but for colours with a point, which are linear light.
  if (bitsPerSample > MAX_BITS && space !== 'scrgb') {
    throw new UndecodableImage(`The TIFF has samples of ${bitsPerSample} bits; expected ${MAX_BITS} at most.`);
  }
}
