import { STRICTNESS } from '@darkroom/image-files/header';
import { UndecodableImage } from '@darkroom/image-files/undecodable-image';
import sharp from 'sharp';
import type { OpenImage } from '../decode.ts';
import type { Rectangle } from '../layout/geometry.ts';
import { mapFrames } from './draw-frames.ts';
import { countFrames, type Frames } from './frames.ts';

/** Duration in browsers of a frame without one, in ms. */
const DEFAULT_DELAY = 100;

/** Mirroring from left to right, and then a clockwise turn. Source: Exif 2.32, 4.6.4. */
const ORIENTATIONS: Readonly<Record<number, { isMirrored: boolean; degrees: number }>> = {
  2: { isMirrored: true, degrees: 0 },
  3: { isMirrored: false, degrees: 180 },
  4: { isMirrored: true, degrees: 180 },
  5: { isMirrored: true, degrees: 270 },
  6: { isMirrored: false, degrees: 90 },
  7: { isMirrored: true, degrees: 90 },
  8: { isMirrored: false, degrees: 270 },
};

/**
 * Decodes all frames of a file together, each as it is shown: complete, upright, in sRGB.
 * @param part requested part of the frames; undefined for all
 */
export async function decodeFrames(file: string, original: OpenImage, part: Rectangle | undefined): Promise<Frames> {
  const { width: across, height: down } = original.upright;
  const { input, options } = original.source ?? { input: file, options: STRICTNESS };
  const image = sharp(input, { animated: true, limitInputPixels: across * down * countFrames(original), ...options });
  const { data, info } = await image
    .toColourspace('srgb')
    .raw({ depth: 'uchar' })
    .toBuffer({ resolveWithObject: true });
  const { width, pageHeight: height = info.height } = info;
  const count = info.height / height;
  // libvips has no image of less than three channels from these decoders.
  const channels = info.channels === 4 ? 4 : 3;
  if (data.length !== width * height * count * channels) throw new UndecodableImage('The frames have other sizes.');
  const delays = Array.from({ length: count }, (_, index) => original.delays?.[index] ?? DEFAULT_DELAY);
  const frames: Frames = { data, size: { width, height }, channels, delays, loop: original.loop };
  const shown = await upright(frames, original);
  return part ? mapFrames(shown, part, (image) => image.extract(part)) : shown;
}

/** sharp turns single images by their orientation, but none of several frames. */
async function upright(frames: Frames, { orientation, upright: size }: OpenImage): Promise<Frames> {
  const turn = ORIENTATIONS[orientation];
  if (!turn) return frames;
  return mapFrames(frames, size, (image) => (turn.isMirrored ? image.flop() : image).rotate(turn.degrees));
}
