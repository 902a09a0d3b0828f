import type { InputLimits } from './decode.ts';
import { openPicture } from './decode.ts';
import { type ImageFailure, resultOf } from './failure.ts';
import { ALL_ROOM, type Room } from './memory.ts';

export interface ConvertRequest {
  /** A HEIC or HEIF file. */
  input: string;
  /** A file that does not exist yet. */
  output: string;
  limits: InputLimits;
}

export type ConvertResult = { outcome: 'converted'; size: number } | ImageFailure;

/** An original is kept for good: quality beyond what the eye tells, full chroma. */
const KEPT_QUALITY = { quality: 92, chromaSubsampling: '4:4:4' };

/**
 * Writes the JPEG that is kept in place of an uploaded HEIC: upright, in the file's own colours and with its profile (an
 * original is not converted), on white where it is transparent, without other metadata than the copyright notice and the artist.
 * @throws NeedsRoom when there is not enough for it
 */
export function convertHeic({ input, output, limits }: ConvertRequest, room: Room = ALL_ROOM): Promise<ConvertResult> {
  return resultOf(async () => {
    const { pages, rights } = await openPicture(input, limits, room);
    const kept = pages[0].image.flatten({ background: 'white' }).keepIccProfile();
    const { size } = await (rights ? kept.withExif({ IFD0: rights }) : kept).jpeg(KEPT_QUALITY).toFile(output);
    return { outcome: 'converted', size };
  });
}
