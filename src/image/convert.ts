import { writeXmp } from '@darkroom/image-files/rights/write-xmp';
import { openImage } from './decode.ts';
import { addXmp } from './encode/encoder-settings.ts';
import { type ImageFailure, resultOf } from './failure.ts';
import type { InputLimits } from './input.ts';
import { type MemoryCheck, UNLIMITED } from './memory.ts';

export interface ConvertRequest {
  /** A HEIC or HEIF file. */
  input: string;
  /** A file that does not exist yet. */
  output: string;
  limits: InputLimits;
}

export type ConvertResult = { outcome: 'converted'; size: number } | ImageFailure;

/** Originals are permanent, so the quality exceeds what is visible, with full chroma. */
const STORED_QUALITY = { quality: 92, chromaSubsampling: '4:4:4' };

/**
 * Writes the JPEG that replaces an uploaded HEIC. It is upright, has the colours and the profile of the file (an
 * original is not converted), and lies on white where it is transparent. The copyright notice and the artist are the
 * only metadata.
 * @throws NeedsMemory when there is not enough for it
 */
export function convertHeic(
  { input, output, limits }: ConvertRequest,
  checkMemory: MemoryCheck = UNLIMITED,
): Promise<ConvertResult> {
  return resultOf(async () => {
    const { image, rights } = await openImage(input, limits, checkMemory);
    const flattened = image.flatten({ background: 'white' }).keepIccProfile();
    const { size } = await addXmp(flattened, rights && writeXmp(rights))
      .jpeg(STORED_QUALITY)
      .toFile(output);
    return { outcome: 'converted', size };
  });
}
