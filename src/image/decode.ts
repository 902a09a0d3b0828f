import { withMissingProfile } from '@darkroom/image-files/colour/missing-profile';
import { toEightBits, toSixteenBits } from '@darkroom/image-files/colour/samples';
import { ImageTooLarge, toSharp } from '@darkroom/image-files/decoded-image';
import { pageOption, readHeader } from '@darkroom/image-files/header';
import { stillOf } from '@darkroom/image-files/heif/avif-sequence';
import { areSamplesWrong } from '@darkroom/image-files/heif/faults';
import { type Rights, type RightsSource, readRights } from '@darkroom/image-files/rights/rights';
import { withTiffRights } from '@darkroom/image-files/rights/tiff';
import { type Source, sourceOf } from '@darkroom/image-files/source/source';
import { MAX_CHANNELS } from '@darkroom/image-files/tiff/layout';
import { countTiffPages, decodeOwnPage, type OwnPage } from '@darkroom/image-files/tiff/open-tiff';
import { UndecodableImage } from '@darkroom/image-files/undecodable-image';
import { openPsd } from '@darkroom/psd/psd';
import sharp, { type Metadata, type Sharp } from 'sharp';
import { heifCodingOf } from '../media/heif-brands.ts';
import { startsSvg } from '../media/svg-start.ts';
import { startsTiff } from '../media/tiff-start.ts';
import { readSignature } from '../media.ts';
import { decodeMs, type OwnDecoder, ownDecoderMs } from './cost/decode.ts';
import { openDrawing } from './documents/drawing.ts';
import type { BecomesSrgb } from './drawing/chains.ts';
import { FinderUnavailable, isOfTheSystem, LimitExceeded, UndecodableLayer } from './failure.ts';
import { openHeic } from './heic.ts';
import { checkPage, type InputLimits, type OpenOptions } from './input.ts';
import type { Size } from './layout/geometry.ts';
import { openLoader } from './loaders.ts';
import {
  decodeMegabytes,
  type MemoryCheck,
  NeedsMemory,
  narrowMegabytes,
  ownDecoderMegabytes,
  UNLIMITED,
  widenMegabytes,
} from './memory.ts';

/** An image whose header has been read. */
export interface OpenImage {
  /** The requested frame of an animation, or page of a document. Its pixels are decoded when the chain runs. */
  image: Sharp;
  /** Number of pages of the file. */
  count: number;
  /** Of a drawing: the size that it has of itself. `upright` is the size that it was drawn at. */
  natural?: Size;
  /** As displayed, after the EXIF orientation. */
  upright: Size;
  hasAlpha: boolean;
  rights: Partial<Rights> | undefined;
  /** As it is in the file. */
  exif: Buffer | undefined;
  /**
   * The time that each frame of an animation is shown, in milliseconds; undefined for other images, and where libvips
   * sees one.
   */
  delays: readonly number[] | undefined;
  /** Repetitions of an animation; 0 for an endless loop. */
  loop: number;
  /** Of the stored pixels, as EXIF numbers it. */
  orientation: number;
  /** As sharp names it; undefined for formats that sharp does not decode. */
  format: string | undefined;
  pixels: CodedPixels;
  /** Input of libvips; undefined where another decoder has read the file. */
  source: Source | undefined;
  becomesSrgb: BecomesSrgb;
  /** An estimate of the memory that decoding takes. */
  megabytes: number;
  /** An estimate of the CPU time that decoding takes. */
  cpuMs: number;
}

/**
 * Opens an image file. Its size is checked before any pixel is decoded. Images that libvips reads are decoded when
 * their chain runs; PSD and HEIC have decoders of their own, which decode immediately.
 * @throws UndecodableImage, LimitExceeded, NeedsMemory
 */
export async function openImage(
  file: string,
  limits: InputLimits,
  checkMemory: MemoryCheck = UNLIMITED,
  options: OpenOptions = {},
): Promise<OpenImage> {
  const limitsOf = (kind: OwnDecoder) => ({
    megapixels: limits.inputMegapixels,
    admit: (pixels: number, sampleBytes = 1) =>
      checkMemory(ownDecoderMegabytes(kind, pixels * sampleBytes), ownDecoderMs(kind, pixels)),
  });
  const { page = 1 } = options;
  try {
    const header = await readHeader(file);
    // libvips calls both HEIC and AVIF HEIF and does not know PSD. The TIFF decoder is open if the task has read one.
    const kind = header instanceof Error || /^(heif|tiff)$/.test(header.format) ? await kindOf(file) : 'other';
    if (kind === 'tiff' && limits.documents?.includes(kind)) {
      const own = await decodeOwnPage(file, page, limitsOf(kind));
      return await withTiffRights(own ? await openOwnPage(own) : await openTiff(file, limits, checkMemory, page), file);
    }
    if ((kind === 'svg' || kind === 'pdf') && limits.documents?.includes(kind)) {
      const { image, ...drawn } = await openDrawing(kind, file, limits, checkMemory, options);
      return { ...(await openSharp(image)), ...drawn, format: kind };
    }
    if (kind === 'psd') {
      const { image, ...metadata } = await openPsd(file, limitsOf('psd'));
      return priced(kind, await openSharp(image), metadata);
    }
    if (kind === 'heic') {
      const original = await openSharp(await openHeic(file, limitsOf('heic')));
      // The decoder returns pixels alone, so the rights come from libvips. It refuses some files that decode well;
      // these lose them.
      return priced(kind, original, header instanceof Error ? {} : header);
    }
    if (kind === 'avif' && header instanceof Error) return await openSequence(file, limits, checkMemory);
    if (header instanceof Error) throw header;
    if (page > 1) return await openPage(file, header, limits, checkMemory, page);
    return await openWithLibvips(file, header, limits, checkMemory);
  } catch (error) {
    throw openingFailure(error, limits);
  }
}

/** The error that `openImage` throws for one of a decoder. */
function openingFailure(error: unknown, limits: InputLimits): unknown {
  if (error instanceof LimitExceeded || error instanceof UndecodableImage || error instanceof NeedsMemory) return error;
  if (error instanceof ImageTooLarge) return inputTooLarge(error, limits);
  return new UndecodableImage('The file cannot be read as an image.', { cause: error });
}

/** Errors that do not blame the pixels of an image. */
const OTHER_FAILURES = [UndecodableLayer, LimitExceeded, NeedsMemory, FinderUnavailable];

/**
 * Does work that decodes the pixels of an open image.
 * @throws UndecodableImage for what is wrong with them; other failures as they are
 */
export async function decoding<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    if (OTHER_FAILURES.some((kind) => cause instanceof kind) || isOfTheSystem(cause)) throw cause;
    throw new UndecodableImage('The image cannot be decoded completely.', { cause });
  }
}

async function openOwnPage({ image, pixels, count }: OwnPage): Promise<OpenImage> {
  return { ...priced('tiff', await openSharp(await toSharp(image)), {}, pixels), count, format: 'tiff' };
}

/** Its decoder stays open until the pixels are decoded. Pages differ in size. */
async function openTiff(file: string, limits: InputLimits, checkMemory: MemoryCheck, page: number): Promise<OpenImage> {
  openLoader('tiff');
  const first = await readHeader(file);
  if (first instanceof Error && page === 1) throw first;
  // The first page may be one that libvips does not read.
  const count = first instanceof Error ? await countTiffPages(file) : (first.pages ?? 1);
  if (count > 0) checkPage(page, count);
  const header = page === 1 ? first : await readHeader(file, page);
  if (header instanceof Error) throw header;
  checkTiff(header);
  return { ...(await openWithLibvips(file, header, limits, checkMemory, page)), count };
}

/** A frame of an animation. Its coded pixels are not those of a still image and cannot be taken over. */
async function openPage(file: string, header: Metadata, limits: InputLimits, checkMemory: MemoryCheck, page: number) {
  checkPage(page, header.pages ?? 1);
  return { ...(await openWithLibvips(file, header, limits, checkMemory, page)), format: undefined };
}

/** Only its main image is read, so the coded pixels of the file cannot be taken over. */
async function openSequence(file: string, limits: InputLimits, checkMemory: MemoryCheck): Promise<OpenImage> {
  const still = await stillOf(file);
  if (!still) throw new UndecodableImage('The sequence has no image in addition to its tracks.');
  const header = await readHeader(still);
  if (header instanceof Error) throw header;
  return { ...(await openWithLibvips(still, header, limits, checkMemory)), format: undefined };
}

async function openWithLibvips(
  file: string | Buffer,
  stated: Metadata,
  limits: InputLimits,
  checkMemory: MemoryCheck,
  page = 1,
): Promise<OpenImage> {
  checkHeader(stated, limits);
  checkMemory(decodeMegabytes(stated), decodeMs(stated, page));
  const source = await sourceOf(file, stated, page);
  const { input, header, heif } = source;
  checkHeader(header, limits);
  // With a profile that it lacks the file is in memory, as PSD and HEIC are.
  const profiled = source.options.ignoreIcc ? undefined : await withMissingProfile(input, header);
  const options = { limitInputPixels: limits.inputMegapixels * 1e6, ...pageOption(page), ...source.options };
  const decoded = sharp(profiled?.bytes ?? input, options);
  const image = source.space ? decoded.pipelineColourspace(source.space) : decoded;
  const known = profiled ? await image.metadata() : header;
  const cpuMs = decodeMs(known, page);
  const held = typeof input === 'string' || input === file ? 0 : input.length / 1e6;
  if (areSamplesWrong(heif.faults) || heif.isEnlarged || (profiled?.isHdr && known.depth === 'uchar')) {
    const megabytes = decodeMegabytes(known) + widenMegabytes(header);
    checkMemory(megabytes, cpuMs);
    const deep = await toSixteenBits(image, known, heif.faults, heif.isEnlarged ? header.autoOrient : undefined);
    return {
      ...(await openSharp(deep, { ...known, autoOrient: header.autoOrient, depth: 'ushort' })),
      megabytes,
      cpuMs,
    };
  }
  if (known.space === 'grey16' && known.icc) {
    const megabytes = decodeMegabytes(known) + narrowMegabytes(known);
    checkMemory(megabytes, cpuMs);
    return { ...(await openSharp(await toEightBits(image, known.icc), known)), megabytes, cpuMs };
  }
  const original = await openSharp(image, known);
  return { ...original, source, cpuMs, megabytes: original.megabytes + held, ...(held > 0 && { pixels: 'other' }) };
}

async function openSharp(image: Sharp, known?: Metadata): Promise<OpenImage> {
  const header = known ?? (await image.metadata());
  // sharp converts 16 bit colours with a profile to Display P3 unless the profile of the result is set.
  const isDeep = header.depth === 'ushort' && header.space !== 'grey16' && header.icc !== undefined;
  return {
    image: isDeep ? image.withIccProfile('srgb', { attach: false }) : image,
    count: header.format === 'heif' ? 1 : (header.pages ?? 1), // The images of an AVIF are no pages.
    upright: header.autoOrient,
    hasAlpha: header.hasAlpha,
    rights: readRights(header),
    exif: header.exif,
    delays: header.delay,
    loop: header.loop ?? 0,
    orientation: header.orientation ?? 1,
    format: known && formatOf(known),
    pixels: codedPixels(header),
    source: undefined,
    becomesSrgb: becomesSrgb(header),
    megabytes: decodeMegabytes(header),
    cpuMs: decodeMs(header),
  };
}

/** Completes an image of our own decoders with the statements of its file. */
function priced(kind: OwnDecoder, original: OpenImage, stated: RightsSource, pixels?: number): OpenImage {
  const { width, height } = original.upright;
  const cpuMs = ownDecoderMs(kind, pixels ?? width * height);
  return { ...original, exif: stated.exif, rights: readRights(stated), cpuMs };
}

/** Checks the declared size of a file. @throws LimitExceeded */
function checkHeader(header: Metadata, limits: InputLimits): void {
  if (header.width * header.height > limits.inputMegapixels * 1e6) throw inputTooLarge(header, limits);
  if (['gif', 'webp'].includes(header.format) && (header.pages ?? 1) > limits.animationFrames) {
    throw new LimitExceeded(
      `The original has ${header.pages} frames; the limit is ${limits.animationFrames} (MAX_ANIMATION_FRAMES).`,
    );
  }
}

function inputTooLarge({ width, height }: Size, limits: InputLimits): LimitExceeded {
  const megapixels = ((width * height) / 1e6).toFixed(1);
  return new LimitExceeded(
    `The original has ${megapixels} megapixels (${width}x${height}); the limit is ${limits.inputMegapixels} (MAX_INPUT_MEGAPIXELS).`,
  );
}

/** Which decoder a file needs, by its first bytes. libvips guesses the coding by the major brand alone. */
async function kindOf(file: string): Promise<'psd' | 'heic' | 'avif' | 'tiff' | 'svg' | 'pdf' | 'other'> {
  const head = await readSignature(file);
  const start = head.toString('latin1', 0, 4);
  if (start === '8BPS') return 'psd';
  if (startsTiff(head)) return 'tiff';
  if (start === '%PDF') return 'pdf';
  const coding = heifCodingOf(head);
  if (coding) return coding === 'hevc' ? 'heic' : 'avif';
  return startsSvg(head) ? 'svg' : 'other';
}

/** State of coded pixels: `shown` for upright sRGB of 8 bits, `profiled` for the same with a colour profile. */
export type CodedPixels = 'shown' | 'profiled' | 'other';

function codedPixels({ icc, orientation = 1, space, depth, format, pages = 1 }: Metadata): CodedPixels {
  // An AVIF of several images holds more than what is shown.
  const isAlone = format !== 'heif' || pages === 1;
  const isShown = isAlone && orientation === 1 && depth === 'uchar' && (space === 'srgb' || space === 'b-w');
  return isShown ? (icc ? 'profiled' : 'shown') : 'other';
}

function becomesSrgb({ space, depth, icc }: Metadata): BecomesSrgb {
  if (depth !== 'uchar' || space === 'b-w') return 'at the end';
  return space === 'srgb' && !icc ? 'at once' : 'once scaled';
}

/** sharp calls AVIF by the name of its container. */
function formatOf({ format, compression }: Metadata): string {
  return format === 'heif' && compression === 'av1' ? 'avif' : format;
}

const MAX_BITS = 16;

/** @throws UndecodableImage for a TIFF that is no image for people */
function checkTiff({ channels, bitsPerSample = 0, space }: Metadata): void {
  if (channels > MAX_CHANNELS) throw new UndecodableImage(`The TIFF has ${channels} channels.`);
  // libvips would show black instead, except for floating-point colours, which are linear light.
  if (bitsPerSample > MAX_BITS && space !== 'scrgb') {
    throw new UndecodableImage(`The TIFF has samples of ${bitsPerSample} bits; expected ${MAX_BITS} at most.`);
  }
}
