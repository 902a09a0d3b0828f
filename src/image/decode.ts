import sharp, { type Metadata, type Sharp } from 'sharp';
import { stillOf } from './avif-sequence.ts';
import { readFrom } from './boxes.ts';
import { withMissingProfile } from './colour/missing-profile.ts';
import { isPremultiplied } from './colour/premultiplied.ts';
import { toEightBits, toSixteenBits } from './colour/samples.ts';
import { decodeMs, ownDecoderMs } from './cost/decode.ts';
import { ImageTooLarge } from './decoded-image.ts';
import { checkPage } from './documents/check-page.ts';
import { checkTiff } from './documents/check-tiff.ts';
import { openDrawing } from './documents/drawing.ts';
import type { BecomesSrgb } from './drawing/chains.ts';
import { FinderUnavailable, isOfTheSystem, LimitExceeded, UndecodableImage, UndecodableLayer } from './failure.ts';
import { openHeic } from './heic/heic.ts';
import type { InputLimits, Wanted } from './input.ts';
import { isLosslessJpeg } from './jpeg.ts';
import { kindOf } from './kind.ts';
import type { Size } from './layout/geometry.ts';
import { openLoader } from './loaders.ts';
import {
  ALL_ROOM,
  decodeMegabytes,
  NeedsRoom,
  narrowMegabytes,
  ownDecoderMegabytes,
  type Room,
  widenMegabytes,
} from './memory.ts';
import { openPsd } from './psd/psd.ts';
import { type Rights, readRights } from './rights.ts';

/** A frame of an animation, or a page of a document. Its pixels are decoded when the chain runs. */
export interface Page {
  image: Sharp;
}

/** A picture whose header has been read. */
export interface Picture {
  /** All of one size. Only the one that is wanted is opened at present. */
  pages: readonly [Page, ...Page[]];
  /** How many pages the file has. */
  count: number;
  /** Of a drawing: the size that it has of itself. `upright` is the size that it was drawn at. */
  natural?: Size;
  /** As displayed, after the EXIF orientation. */
  upright: Size;
  hasAlpha: boolean;
  rights: Partial<Rights> | undefined;
  /** As it is in the file. */
  exif: Buffer | undefined;
  /** The time that each frame of an animation is shown, in milliseconds; undefined for other pictures, and where libvips sees one. */
  delays: readonly number[] | undefined;
  /** How often an animation is shown; 0 without an end. */
  loop: number;
  /** Of the stored pixels, as EXIF numbers it. */
  orientation: number;
  /** As sharp names it; undefined for formats that sharp does not decode. */
  format: string | undefined;
  /** Whether the coded pixels are those that are shown (upright, sRGB, 8 bits), or would be without their colour profile. */
  pixels: 'shown' | 'profiled' | 'other';
  becomesSrgb: BecomesSrgb;
  /** An estimate of the memory that decoding takes. */
  megabytes: number;
  /** An estimate of the CPU time that decoding takes. */
  cpuMs: number;
}

/**
 * Opens a picture file. Its size is checked before any pixel is decoded. Pictures that libvips reads are decoded when their chain
 * runs; PSD and HEIC have decoders of their own, which decode at once.
 * @throws UndecodableImage, LimitExceeded, NeedsRoom
 */
export async function openPicture(
  file: string,
  limits: InputLimits,
  room: Room = ALL_ROOM,
  wanted: Wanted = {},
): Promise<Picture> {
  const limitsOf = (kind: 'psd' | 'heic') => ({
    megapixels: limits.inputMegapixels,
    admit: (pixels: number, sampleBytes = 1) =>
      room(ownDecoderMegabytes(kind, pixels * sampleBytes), ownDecoderMs(kind, pixels)),
  });
  const { page = 1 } = wanted;
  try {
    const header = await readHeader(file);
    // libvips calls both HEIC and AVIF HEIF, and does not know PSD. Decoders of documents are closed.
    const kind = header instanceof Error || header.format === 'heif' ? await kindOf(file) : 'other';
    if (kind === 'tiff' && limits.documents?.includes(kind)) return await openTiff(file, limits, room, page);
    if ((kind === 'svg' || kind === 'pdf') && limits.documents?.includes(kind)) {
      const { image, ...drawn } = await openDrawing(kind, file, limits, room, wanted);
      return { ...(await pictureOf(image)), ...drawn, format: kind };
    }
    if (kind === 'psd') return priced(kind, await pictureOf(await openPsd(file, limitsOf('psd'))));
    if (kind === 'heic') {
      const picture = priced(kind, await pictureOf(await openHeic(file, limitsOf('heic'))));
      // The decoder returns pixels alone, so the rights come from libvips. It refuses some files that decode well; these lose them.
      const exif = header instanceof Error ? undefined : header.exif;
      return { ...picture, exif, rights: readRights(exif) };
    }
    if (kind === 'avif' && header instanceof Error) return await openSequence(file, limits, room);
    if (header instanceof Error) throw header;
    if (page > 1) return await openPage(file, header, limits, room, page);
    return await openWithLibvips(file, header, limits, room);
  } catch (error) {
    if (error instanceof LimitExceeded || error instanceof UndecodableImage || error instanceof NeedsRoom) throw error;
    if (error instanceof ImageTooLarge) throw inputTooLarge(error, limits);
    throw new UndecodableImage('The file cannot be read as a picture.', { cause: error });
  }
}

/** What is not the fault of a picture's pixels. */
const OTHER_FAILURES = [UndecodableLayer, LimitExceeded, NeedsRoom, FinderUnavailable];

/** Does work that decodes the pixels of an open picture. @throws UndecodableImage for what is wrong with them; other failures as they are */
export async function decoding<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    if (OTHER_FAILURES.some((kind) => cause instanceof kind) || isOfTheSystem(cause)) throw cause;
    throw new UndecodableImage('The picture cannot be decoded to its end.', { cause });
  }
}

/** What libvips must not get over: damage, but not warnings, which later frames of a GIF give. For the header and the pixels alike. */
export const STRICTNESS = { failOn: 'error' } as const;

/** The header of a file, or the reason why libvips cannot read it. */
function readHeader(file: string | Buffer, page = 1): Promise<Metadata | Error> {
  return sharp(file, { limitInputPixels: false, page: page - 1, ...STRICTNESS })
    .metadata()
    .catch((error: Error) => error);
}

/** Its decoder stays open until the pixels are decoded. Pages differ in size. */
async function openTiff(file: string, limits: InputLimits, room: Room, page: number): Promise<Picture> {
  openLoader('tiff');
  const first = await readHeader(file);
  if (first instanceof Error) throw first;
  checkPage(page, first.pages ?? 1);
  const header = page === 1 ? first : await readHeader(file, page);
  if (header instanceof Error) throw header;
  checkTiff(header);
  return openWithLibvips(file, header, limits, room, page);
}

/** A frame of an animation. It is not the picture that the file is taken for, so nobody may keep it as it is. */
async function openPage(file: string, header: Metadata, limits: InputLimits, room: Room, page: number) {
  checkPage(page, header.pages ?? 1);
  return { ...(await openWithLibvips(file, header, limits, room, page)), format: undefined };
}

/** Its main picture alone is read, so nobody may take the file for a picture that could be kept as it is. */
async function openSequence(file: string, limits: InputLimits, room: Room): Promise<Picture> {
  const still = await stillOf(file);
  if (!still) throw new UndecodableImage('The sequence has no picture beside its tracks.');
  const header = await readHeader(still);
  if (header instanceof Error) throw header;
  return { ...(await openWithLibvips(still, header, limits, room)), format: undefined };
}

async function openWithLibvips(
  file: string | Buffer,
  header: Metadata,
  limits: InputLimits,
  room: Room,
  page = 1,
): Promise<Picture> {
  if (header.width * header.height > limits.inputMegapixels * 1e6) throw inputTooLarge(header, limits);
  if (header.format !== 'tiff' && (header.pages ?? 1) > limits.animationFrames) {
    throw new LimitExceeded(
      `The original has ${header.pages} frames; the limit is ${limits.animationFrames} (MAX_ANIMATION_FRAMES).`,
    );
  }
  room(decodeMegabytes(header), decodeMs(header, page));
  // With a profile that it lacks the file is in memory, as PSD and HEIC are.
  const profiled = await withMissingProfile(file, header);
  const options = { limitInputPixels: limits.inputMegapixels * 1e6, page: page - 1, ...STRICTNESS };
  const decoded = sharp(profiled?.bytes ?? file, options);
  // The decoder cuts a lossless JPEG where it should shrink it. sharp does not ask it to when it is told a colour space.
  const image = (await isLossless(file, header)) ? decoded.pipelineColourspace(header.space) : decoded;
  const known = profiled ? await image.metadata() : header;
  const isMultiplied = header.format === 'heif' && header.hasAlpha && (await readFrom(file, isPremultiplied));
  const cpuMs = decodeMs(known, page);
  if (isMultiplied || (profiled?.isHdr && known.depth === 'uchar')) {
    const megabytes = decodeMegabytes(known) + widenMegabytes(known);
    room(megabytes, cpuMs);
    const deep = await toSixteenBits(image, known, isMultiplied);
    return { ...(await pictureOf(deep, { ...known, depth: 'ushort' })), megabytes, cpuMs };
  }
  if (known.space === 'grey16' && known.icc) {
    const megabytes = decodeMegabytes(known) + narrowMegabytes(known);
    room(megabytes, cpuMs);
    return { ...(await pictureOf(await toEightBits(image, known.icc), known)), megabytes, cpuMs };
  }
  return { ...(await pictureOf(image, known)), cpuMs };
}

async function isLossless(file: string | Buffer, { format }: Metadata): Promise<boolean> {
  return format === 'jpeg' && typeof file === 'string' && (await isLosslessJpeg(file));
}

async function pictureOf(image: Sharp, known?: Metadata): Promise<Picture> {
  const header = known ?? (await image.metadata());
  // sharp turns 16 bit colours with a profile into Display P3 unless it is told the profile of the result.
  const isDeep = header.depth === 'ushort' && header.space !== 'grey16' && header.icc !== undefined;
  return {
    pages: [{ image: isDeep ? image.withIccProfile('srgb', { attach: false }) : image }],
    count: header.pages ?? 1,
    upright: header.autoOrient,
    hasAlpha: header.hasAlpha,
    rights: readRights(header.exif),
    exif: header.exif,
    delays: header.delay,
    loop: header.loop ?? 0,
    orientation: header.orientation ?? 1,
    format: known && formatOf(known),
    pixels: codedPixels(header),
    becomesSrgb: becomesSrgb(header),
    megabytes: decodeMegabytes(header),
    cpuMs: decodeMs(header),
  };
}

function priced(kind: 'psd' | 'heic', picture: Picture): Picture {
  const { width, height } = picture.upright;
  return { ...picture, cpuMs: ownDecoderMs(kind, width * height) };
}

function codedPixels({ icc, orientation = 1, space, depth }: Metadata): Picture['pixels'] {
  const isShown = orientation === 1 && depth === 'uchar' && (space === 'srgb' || space === 'b-w');
  return isShown ? (icc ? 'profiled' : 'shown') : 'other';
}

function becomesSrgb({ space, depth, icc }: Metadata): Picture['becomesSrgb'] {
  if (depth !== 'uchar' || space === 'b-w') return 'at the end';
  return space === 'srgb' && !icc ? 'at once' : 'once scaled';
}

/** sharp calls AVIF by the name of its container. */
function formatOf({ format, compression }: Metadata): string {
  return format === 'heif' && compression === 'av1' ? 'avif' : format;
}

function inputTooLarge({ width, height }: Size, limits: InputLimits): LimitExceeded {
  const megapixels = ((width * height) / 1e6).toFixed(1);
  return new LimitExceeded(
    `The original has ${megapixels} megapixels (${width}x${height}); the limit is ${limits.inputMegapixels} (MAX_INPUT_MEGAPIXELS).`,
  );
}
