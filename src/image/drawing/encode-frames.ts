import { readFile, writeFile } from 'node:fs/promises';
import { stripMovingMetadata } from '@darkroom/image-files/strip';
import type { Sharp } from 'sharp';
import type { MovingFormat } from '../../transformation/animated.ts';
import { hasFewColours, LOSSLESS_MEGAPIXELS, LOSSLESS_WEBP, sampledQuality } from '../encode/auto-quality.ts';
import { type Encoded, type EncodeOrder, LOWER_QUALITIES, type SameImage } from '../encode/encode.ts';
import { addXmp, encoderQuality } from '../encode/encoder-settings.ts';
import { megapixelsOf } from '../layout/geometry.ts';
import type { HeldImage } from '../step.ts';
import { type Frames, imageOfFrames } from './frames.ts';

export type FramesOrder = Pick<EncodeOrder, 'format' | 'quality' | 'xmp' | 'same' | 'output'>;

/** Half the CPU time of what single images get, for 2 to 5 % more bytes; docs/encoders.md has the measurements. */
const WEBP_EFFORT = 2;
const GIF_EFFORT = 4;
/** Of milliseconds and of repetitions: what sharp takes. */
const MOST = 65_535;

/**
 * Encodes an animation into a file, once; again only when the result would be larger than the same animation in the
 * original.
 */
export async function encodeFrames(frames: Frames, order: FramesOrder): Promise<Encoded> {
  const { same, xmp } = order;
  const format = order.format === 'gif' ? 'gif' : 'webp';
  const first = await encodeFirst(frames, format, order);
  const isLarger = same !== undefined && first.data.length > same.size;
  const smaller = isLarger ? await findSmaller(frames, format, first.quality, same, xmp) : undefined;
  const data = smaller ?? first.data;
  await writeFile(order.output, data);
  return { format, size: data.length };
}

/** With the quality that it got, of the scale of the encoder. */
async function encodeFirst(frames: Frames, format: MovingFormat, { quality, xmp }: FramesOrder) {
  if (format === 'gif') return { data: await gif(frames).toBuffer(), quality: 100 };
  if (quality !== 'auto') {
    const own = encoderQuality(format, quality);
    return { data: await webp(frames, own, xmp).toBuffer(), quality: own };
  }
  const whole = wholeOf(frames);
  const own = await sampledQuality(whole, format);
  const lossy = await webp(frames, own, xmp).toBuffer();
  const isTried = megapixelsOf(whole) <= LOSSLESS_MEGAPIXELS && hasFewColours(whole);
  const lossless = isTried
    ? await addXmp(imageOfFrames(frames), xmp)
        .webp({ ...LOSSLESS_WEBP, ...timing(frames) })
        .toBuffer()
    : lossy;
  return lossless.length < lossy.length ? { data: lossless, quality: 100 } : { data: lossy, quality: own };
}

/** The original without its metadata, or lower qualities. */
async function findSmaller(
  frames: Frames,
  format: MovingFormat,
  quality: number,
  same: SameImage,
  xmp: string | undefined,
): Promise<Buffer | undefined> {
  const stripped = same.pixels === 'shown' ? stripMovingMetadata(await readFile(same.file), format, xmp) : undefined;
  if (stripped && stripped.length <= same.size) return stripped;
  if (format === 'gif') return undefined;
  for (const lower of LOWER_QUALITIES.map((q) => encoderQuality(format, q))) {
    const data = lower < quality ? await webp(frames, lower, xmp).toBuffer() : undefined;
    if (data && data.length <= same.size) return data;
  }
  return undefined;
}

function webp(frames: Frames, quality: number, xmp: string | undefined): Sharp {
  return addXmp(imageOfFrames(frames), xmp).webp({ quality, effort: WEBP_EFFORT, ...timing(frames) });
}

function gif(frames: Frames): Sharp {
  return imageOfFrames(frames).gif({ effort: GIF_EFFORT, ...timing(frames) });
}

function timing({ delays, loop }: Frames) {
  return { delay: delays.map((delay) => Math.min(delay, MOST)), loop: Math.min(loop, MOST) };
}

function wholeOf({ data, size, channels, delays }: Frames): HeldImage {
  return { data, width: size.width, height: size.height * delays.length, channels };
}
