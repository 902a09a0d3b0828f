import { open } from 'node:fs/promises';
import { SIGNATURE_BYTES, sniffMediaType } from '../../media.ts';
import { type InputLimits, openPicture, type Picture } from '../decode.ts';
import { type ImageFailure, resultOf } from '../failure.ts';
import { ALL_ROOM, type Room } from '../memory.ts';
import { readApngDelays } from './apng.ts';
import { type Capture, readCapture } from './capture.ts';
import { type Colours, findColours } from './colours.ts';
import { hashPerceptually } from './perceptual-hash.ts';
import { makePlaceholders, type Placeholders } from './placeholders.ts';
import { isTransparent, takeSample } from './sample.ts';

export interface DescribeRequest {
  input: string;
  limits: InputLimits;
}

/** What is known of a picture; plain data. */
export interface PictureFacts extends Capture, Placeholders {
  /** As displayed, upright. */
  width: number;
  height: number;
  /** As sharp names it, else by the usual extension: `jpeg`, `png`, `webp`, `avif`, `gif`, `heic`, `psd`. */
  format: string | undefined;
  /** Of an animation, and how long they are shown, in seconds. */
  frames: number | undefined;
  duration: number | undefined;
  /** Whether something shows through in a sample of 256 pixels a side; a channel of alpha that is opaque everywhere does not count. */
  hasAlpha: boolean;
  colours: Colours;
  perceptualHash: string | undefined;
}

export type DescribeResult = { outcome: 'described'; facts: PictureFacts } | ImageFailure;

/** Browsers show a frame that would be shorter than this for a tenth of a second. */
const SHORTEST_DELAY_MS = 11;
const LENGTHENED_MS = 100;

/**
 * Finds out what is known of a picture, in one decode at a small size.
 * @throws NeedsRoom when there is not enough for it
 */
export function describePicture({ input, limits }: DescribeRequest, room: Room = ALL_ROOM): Promise<DescribeResult> {
  return resultOf(async () => {
    const picture = await openPicture(input, limits, room);
    const sample = await takeSample(picture.pages[0].image);
    const facts = {
      ...picture.upright,
      format: picture.format ?? (await recognisedFormat(input)),
      ...animationOf(picture.format === 'png' ? await readApngDelays(input) : picture.delays),
      hasAlpha: picture.hasAlpha && isTransparent(sample),
      colours: findColours(sample),
      ...makePlaceholders(sample),
      perceptualHash: hashPerceptually(sample),
      ...readCapture(picture.exif),
    };
    return { outcome: 'described', facts };
  });
}

function animationOf(delays: Picture['delays']): Pick<PictureFacts, 'frames' | 'duration'> {
  if (!delays || delays.length < 2) return { frames: undefined, duration: undefined };
  const shown = delays.map((delay) => (delay < SHORTEST_DELAY_MS ? LENGTHENED_MS : delay));
  return { frames: delays.length, duration: shown.reduce((sum, delay) => sum + delay, 0) / 1000 };
}

async function recognisedFormat(file: string): Promise<string | undefined> {
  await using handle = await open(file, 'r');
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(SIGNATURE_BYTES), 0, SIGNATURE_BYTES, 0);
  return (await sniffMediaType(buffer.subarray(0, bytesRead)))?.extensions[0];
}
