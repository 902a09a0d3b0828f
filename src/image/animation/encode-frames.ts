import { readFile, writeFile } from 'node:fs/promises';
import { stripMovingMetadata } from '@darkroom/image-files/strip';
import type { Sharp } from 'sharp';
import type { MovingFormat } from '../../transformation/animated.ts';
import { hasFewColours, LOSSLESS_MEGAPIXELS, LOSSLESS_WEBP, sampledQuality } from '../encode/auto-quality.ts';
import { type Encoded, type EncodeOrder, LOWER_QUALITIES, type SamePicture } from '../encode/encode.ts';
import { encoderQuality } from '../encode/encoder-settings.ts';
import { PLACE_BYTES } from '../encode/finish/edits.ts';
import { finishFile } from '../encode/finish/finish.ts';
import { rightsBlock } from '../encode/finish/rights-block.ts';
import type { RawPixels } from '../encode/similarity.ts';
import { type Frames, imageOfFrames } from './frames.ts';

export type FramesOrder = Pick<EncodeOrder, 'format' | 'quality' | 'rights' | 'same' | 'output'>;

/** Half the CPU time of what single pictures get, for 2 to 5 % more bytes; docs/encoders.md has the measurements. */
const WEBP_EFFORT = 2;
const GIF_EFFORT = 4;
/** Of milliseconds and of repetitions: what sharp takes. */
const MOST = 65_535;

/**
 * Encodes an animation into a file, once; again only when the result would be larger than the same animation in the original.
 */
export async function encodeFrames(frames: Frames, order: FramesOrder): Promise<Encoded> {
  const { rights, output, same } = order;
  const format = order.format === 'gif' ? 'gif' : 'webp';
  const block = rights && (await rightsBlock(rights));
  const { data, quality } = await encodeFirst(frames, format, order.quality);
  const limit = same ? same.size - (block ? PLACE_BYTES[format] + block.length : 0) : Number.POSITIVE_INFINITY;
  const smaller = same && data.length > limit ? await findSmaller(frames, format, quality, same, limit) : undefined;
  const kept = smaller ?? data;
  await writeFile(output, kept);
  return { format, size: kept.length + (await finishFile(output, format, block)) };
}

/** With the quality that it got, of the scale of the encoder. */
async function encodeFirst(frames: Frames, format: MovingFormat, quality: EncodeOrder['quality']) {
  if (format === 'gif') return { data: await gif(frames).toBuffer(), quality: 100 };
  if (quality !== 'auto') {
    const own = encoderQuality(format, quality);
    return { data: await webp(frames, own).toBuffer(), quality: own };
  }
  const whole = wholeOf(frames);
  const own = await sampledQuality(whole, format);
  const lossy = await webp(frames, own).toBuffer();
  const isTried = (whole.width * whole.height) / 1e6 <= LOSSLESS_MEGAPIXELS && hasFewColours(whole);
  const lossless = isTried
    ? await imageOfFrames(frames)
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
  { file, pixels }: SamePicture,
  limit: number,
): Promise<Buffer | undefined> {
  const stripped = pixels === 'shown' ? stripMovingMetadata(await readFile(file), format) : undefined;
  if (stripped && stripped.length <= limit) return stripped;
  if (format === 'gif') return undefined;
  for (const lower of LOWER_QUALITIES.map((q) => encoderQuality(format, q))) {
    const data = lower < quality ? await webp(frames, lower).toBuffer() : undefined;
    if (data && data.length <= limit) return data;
  }
  return undefined;
}

function webp(frames: Frames, quality: number): Sharp {
  return imageOfFrames(frames).webp({ quality, effort: WEBP_EFFORT, ...timing(frames) });
}

function gif(frames: Frames): Sharp {
  return imageOfFrames(frames).gif({ effort: GIF_EFFORT, ...timing(frames) });
}

function timing({ delays, loop }: Frames) {
  return { delay: delays.map((delay) => Math.min(delay, MOST)), loop: Math.min(loop, MOST) };
}

function wholeOf({ data, size, channels, delays }: Frames): RawPixels {
  return { data, width: size.width, height: size.height * delays.length, channels };
}
