import { open } from 'node:fs/promises';
import { encode } from 'blurhash';
import sharp from 'sharp';
import { rgbaToThumbHash } from 'thumbhash';
import { sniffFile } from '../../media.ts';
import { DESCRIBED_MS } from '../cost/find.ts';
import { type OpenImage, openImage } from '../decode.ts';
import { type ImageFailure, resultOf } from '../failure.ts';
import type { InputLimits } from '../input.ts';
import type { Size } from '../layout/geometry.ts';
import { type MemoryCheck, UNLIMITED } from '../memory.ts';
import { type Capture, readCapture } from './capture.ts';
import { type Colours, findColours } from './colours.ts';
import { hashPerceptually } from './perceptual-hash.ts';
import { isTransparent, onWhite, SAMPLE_SIDE, type Sample, shrinkInside, takeSample } from './sample.ts';

export interface DescribeRequest {
  input: string;
  /** The first one without it. */
  page?: number | undefined;
  /** True to include a placeholder. */
  isShown?: boolean;
  limits: InputLimits;
}

/** Facts about an image, as plain data. */
export interface ImageFacts extends Capture, Placeholders {
  /** As displayed, upright. */
  width: number;
  height: number;
  /**
   * Name in sharp, else the usual extension: `jpeg`, `png`, `webp`, `avif`, `gif`, `tiff`, `svg`, `pdf`, `heic`, `psd`.
   */
  format: string | undefined;
  /** Of an animation, and how long they are shown, in seconds; or the pages of a document. */
  frames: number | undefined;
  duration: number | undefined;
  /** True if a sample of 256 pixels a side has transparent pixels. An opaque alpha channel does not count. */
  hasAlpha: boolean;
  colours: Colours;
  perceptualHash: string | undefined;
  /** A tiny WebP as a data URI. */
  placeholder: string | undefined;
}

export type DescribeResult = { outcome: 'described'; facts: ImageFacts } | ImageFailure;

/** Browsers show a frame that would be shorter than this for a tenth of a second. */
const SHORTEST_DELAY_MS = 11;
const LENGTHENED_MS = 100;

/**
 * Finds out what is known of an image, in one decode at a small size.
 * @throws NeedsMemory when there is not enough for it
 */
export function describeImage(
  { input, limits, page, isShown = false }: DescribeRequest,
  checkMemory: MemoryCheck = UNLIMITED,
): Promise<DescribeResult> {
  return resultOf(async () => {
    const original = await openImage(input, limits, checkMemory, { page, scale: sampleScale });
    checkMemory(original.megabytes, original.cpuMs + DESCRIBED_MS);
    const sample = await takeSample(original.image);
    const facts = {
      ...(original.natural ?? original.upright),
      format: original.format ?? (await sniffFile(input))?.extensions[0],
      ...framesOf(original.format === 'png' ? await readApngDelays(input) : original.delays, original),
      hasAlpha: original.hasAlpha && isTransparent(sample),
      colours: findColours(sample),
      ...makePlaceholders(sample),
      perceptualHash: hashPerceptually(sample),
      placeholder: isShown ? await makeTinyImage(sample) : undefined,
      ...readCapture(original.exif),
    };
    return { outcome: 'described', facts };
  });
}

/** A drawing is drawn at twice the size of the sample, and no larger than it is. */
const sampleScale = ({ width, height }: Size) => Math.min(1, (2 * SAMPLE_SIDE) / Math.max(width, height));

function framesOf(delays: OpenImage['delays'], { count }: OpenImage): Pick<ImageFacts, 'frames' | 'duration'> {
  if (!delays || delays.length < 2) return { frames: count > 1 ? count : undefined, duration: undefined };
  const shown = delays.map((delay) => (delay < SHORTEST_DELAY_MS ? LENGTHENED_MS : delay));
  return { frames: delays.length, duration: shown.reduce((sum, delay) => sum + delay, 0) / 1000 };
}

/** Chunks that are read. An animation with more frames is over every limit. */
const MAX_CHUNKS = 20_000;

/**
 * The time that each frame of an animated PNG is shown, in milliseconds; undefined for any other PNG. Reads the heads
 * of its chunks alone. Source: PNG 3rd edition, 11.3.6.
 */
async function readApngDelays(file: string): Promise<number[] | undefined> {
  await using handle = await open(file, 'r');
  const chunk = Buffer.alloc(8 + 26);
  const delays: number[] = [];
  let isAnimated = false;
  for (let at = 8, count = 0; count < MAX_CHUNKS; count++) {
    const { bytesRead } = await handle.read(chunk, 0, chunk.length, at);
    const type = chunk.toString('latin1', 4, 8);
    if (bytesRead < 12 || type === 'IEND') break;
    if (type === 'acTL') isAnimated = true;
    // `acTL` precedes the first frame of an animation.
    if (type === 'IDAT' && !isAnimated) break;
    if (type === 'fcTL' && bytesRead === chunk.length) {
      // A denominator of 0 means hundredths of a second.
      delays.push((chunk.readUInt16BE(28) / (chunk.readUInt16BE(30) || 100)) * 1000);
    }
    at += 12 + chunk.readUInt32BE(0);
  }
  return delays.length > 0 ? delays : undefined;
}

export interface Placeholders {
  /** In base64. */
  thumbHash: string;
  blurHash: string;
}

/** Both hashes keep a handful of waves across the image: more pixels would cost time and show nothing. */
const SIDE = 32;

/** ThumbHash has alpha; BlurHash has none and shows the image on white. */
export function makePlaceholders(sample: Sample): Placeholders {
  const small = shrinkInside(sample, SIDE);
  const { width, height, rgba } = onWhite(small);
  const [across, down] = width >= height ? [4, 3] : [3, 4];
  return {
    thumbHash: Buffer.from(rgbaToThumbHash(small.width, small.height, small.rgba)).toString('base64'),
    blurHash: encode(new Uint8ClampedArray(rgba), width, height, across, down),
  };
}

/** The longer side of the tiny image, and its quality: what is drawn larger is blurred anyway. */
const TINY = { side: 16, quality: 20 };

/** A WebP of some hundred bytes as a data URI, which browsers show without a script. */
async function makeTinyImage(sample: Sample): Promise<string> {
  const { width, height, rgba } = shrinkInside(sample, TINY.side);
  const tiny = sharp(rgba, { raw: { width, height, channels: 4 } });
  const bytes = await tiny.webp({ quality: TINY.quality, alphaQuality: TINY.quality, effort: 6 }).toBuffer();
  return `data:image/webp;base64,${bytes.toString('base64')}`;
}
