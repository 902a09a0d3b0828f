import { writeFile } from 'node:fs/promises';
import type { Sharp } from 'sharp';
import { type InputLimits, openPicture } from '../decode.ts';
import { type ImageFailure, resultOf, UndecodableImage } from '../failure.ts';
import { ALL_ROOM, type Room } from '../memory.ts';
import { detectFaces, type FaceDetector } from './detect-faces.ts';
import type { Focus, FocusGravity } from './focus.ts';
import { mapInterest } from './map-interest.ts';

export interface FocusRequest {
  input: string;
  /** A file that does not exist yet; gets the focus as JSON. */
  output: string;
  gravity: FocusGravity;
  limits: InputLimits;
}

export type FocusResult = { outcome: 'found' } | ImageFailure;

/**
 * Finds the focus of a picture once, for all the sizes that it will be cropped to.
 * @throws NeedsRoom when there is not enough for it
 */
export function findFocus(
  { input, output, gravity, limits }: FocusRequest,
  detector: FaceDetector,
  room: Room = ALL_ROOM,
): Promise<FocusResult> {
  return resultOf(async () => {
    const { pages } = await openPicture(input, limits, room);
    const focus = await focusOf(pages[0].image, gravity, detector);
    await writeFile(output, JSON.stringify(focus));
    return { outcome: 'found' };
  });
}

/** Neither the detector nor the map fails by itself: an error means that the pixels cannot be decoded. */
async function focusOf(image: Sharp, gravity: FocusGravity, detector: FaceDetector): Promise<Focus> {
  try {
    const faces = gravity === 'face' ? await detectFaces(image, detector) : [];
    return faces.length > 0 ? { faces } : { interest: await mapInterest(image) };
  } catch (cause) {
    throw new UndecodableImage('The picture cannot be decoded to its end.', { cause });
  }
}
