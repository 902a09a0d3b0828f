import { open } from 'node:fs/promises';
import sharp, { type Metadata, type Sharp } from 'sharp';
import { BRANDS_BYTES, heifCodingOf } from '../heif-brands.ts';
import { stillOf } from './avif-sequence.ts';
import { readFrom } from './boxes.ts';
import { withMissingProfile } from './colour/missing-profile.ts';
import { isPremultiplied } from './colour/premultiplied.ts';
import { toEightBits, toSixteenBits } from './colour/samples.ts';
import { ImageTooLarge } from './decoded-image.ts';
import type { BecomesSrgb } from './drawing/chains.ts';
import { LimitExceeded, UndecodableImage } from './failure.ts';
import { openHeic } from './heic/heic.ts';
import { isLosslessJpeg } from './jpeg.ts';
import type { Size } from './layout/geometry.ts';
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

export interface InputLimits {
  inputMegapixels: number;
  animationFrames: number;
}

/** A frame of an animation, or a page of a document. Its pixels are decoded when the chain runs. */
export interface Page {
  image: Sharp;
}

/** A picture whose header has been read. */
export interface Picture {
  /** All of one size. Only the first one is opened at present. */
  pages: readonly [Page, ...Page[]];
  /** As displayed, after the EXIF orientation. */
  upright: Size;
  hasAlpha: boolean;
  rights: Partial<Rights> | undefined;
  /** As it is in the file. */
  exif: Buffer | undefined;
  /** The time that each frame of an animation is shown, in milliseconds; undefined for other pictures, and where libvips sees one. */
  delays: readonly number[] | undefined;
  /** As sharp names it; undefined for formats that sharp does not decode. */
  format: string | undefined;
  /** Whether the coded pixels are those that are shown (upright, sRGB, 8 bits), or would be without their colour profile. */
  pixels: 'shown' | 'profiled' | 'other';
  becomesSrgb: BecomesSrgb;
  /** An estimate of the memory that decoding takes. */
  megabytes: number;
}

/** Decoders that untrusted files may reach. Everything else that libvips could load is blocked. */
const ALLOWED_LOADERS = [
  'VipsForeignLoadJpegFile',
  'VipsForeignLoadJpegBuffer',
  'VipsForeignLoadPngFile',
  'VipsForeignLoadPngBuffer',
  'VipsForeignLoadWebpFile',
  'VipsForeignLoadWebpBuffer',
  'VipsForeignLoadHeifFile',
  'VipsForeignLoadHeifBuffer',
  'VipsForeignLoadNsgifFile',
];

/** Sets up this process for untrusted pictures: one thread for each operation, no cache, only the allowed decoders. */
export function prepareSharp(): void {
  sharp.cache(false);
  sharp.concurrency(1);
  sharp.block({ operation: ['VipsForeignLoad'] });
  sharp.unblock({ operation: ALLOWED_LOADERS });
}

/**
 * Opens a picture file. Its size is checked before any pixel is decoded. Pictures that libvips reads are decoded when their chain
 * runs; PSD and HEIC have decoders of their own, which decode at once.
 * @throws UndecodableImage, LimitExceeded, NeedsRoom
 */
export async function openPicture(file: string, limits: InputLimits, room: Room = ALL_ROOM): Promise<Picture> {
  const limitsOf = (kind: 'psd' | 'heic') => ({
    megapixels: limits.inputMegapixels,
    admit: (pixels: number) => room(ownDecoderMegabytes(kind, pixels)),
  });
  try {
    const header = await readHeader(file);
    // libvips calls both HEIC and AVIF HEIF, and does not know PSD.
    const kind = header instanceof Error || header.format === 'heif' ? kindOf(await readHead(file)) : 'other';
    if (kind === 'psd') return await pictureOf(await openPsd(file, limitsOf('psd')));
    if (kind === 'heic') {
      const picture = await pictureOf(await openHeic(file, limitsOf('heic')));
      // The decoder returns pixels alone, so the rights come from libvips. It refuses some files that decode well; these lose them.
      const exif = header instanceof Error ? undefined : header.exif;
      return { ...picture, exif, rights: readRights(exif) };
    }
    if (kind === 'avif' && header instanceof Error) return await openSequence(file, limits, room);
    if (header instanceof Error) throw header;
    return await openWithLibvips(file, header, limits, room);
  } catch (error) {
    if (error instanceof LimitExceeded || error instanceof UndecodableImage || error instanceof NeedsRoom) throw error;
    if (error instanceof ImageTooLarge) throw inputTooLarge(error, limits);
    throw new UndecodableImage('The file cannot be read as a picture.', { cause: error });
  }
}

/** What libvips must not get over: damage, but not warnings, which later frames of a GIF give. For the header and the pixels alike. */
const STRICTNESS = { failOn: 'error' } as const;

/** The header of a file, or the reason why libvips cannot read it. */
function readHeader(file: string | Buffer): Promise<Metadata | Error> {
  return sharp(file, { limitInputPixels: false, ...STRICTNESS })
    .metadata()
    .catch((error: Error) => error);
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
): Promise<Picture> {
  if (header.width * header.height > limits.inputMegapixels * 1e6) throw inputTooLarge(header, limits);
  if ((header.pages ?? 1) > limits.animationFrames) {
    throw new LimitExceeded(
      `The original has ${header.pages} frames; the limit is ${limits.animationFrames} (MAX_ANIMATION_FRAMES).`,
    );
  }
  room(decodeMegabytes(header));
  // With a profile that it lacks the file is in memory, as PSD and HEIC are.
  const profiled = await withMissingProfile(file, header);
  const decoded = sharp(profiled?.bytes ?? file, { limitInputPixels: limits.inputMegapixels * 1e6, ...STRICTNESS });
  // The decoder cuts a lossless JPEG where it should shrink it. sharp does not ask it to when it is told a colour space.
  const image = (await isLossless(file, header)) ? decoded.pipelineColourspace(header.space) : decoded;
  const known = profiled ? await image.metadata() : header;
  const isMultiplied = header.format === 'heif' && header.hasAlpha && (await readFrom(file, isPremultiplied));
  if (isMultiplied || (profiled?.isHdr && known.depth === 'uchar')) {
    const megabytes = decodeMegabytes(known) + widenMegabytes(known);
    room(megabytes);
    const deep = await toSixteenBits(image, known, isMultiplied);
    return { ...(await pictureOf(deep, { ...known, depth: 'ushort' })), megabytes };
  }
  if (known.space === 'grey16' && known.icc) {
    const megabytes = decodeMegabytes(known) + narrowMegabytes(known);
    room(megabytes);
    return { ...(await pictureOf(await toEightBits(image, known.icc), known)), megabytes };
  }
  return pictureOf(image, known);
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
    upright: header.autoOrient,
    hasAlpha: header.hasAlpha,
    rights: readRights(header.exif),
    exif: header.exif,
    delays: header.delay,
    format: known && formatOf(known),
    pixels: codedPixels(header),
    becomesSrgb: becomesSrgb(header),
    megabytes: decodeMegabytes(header),
  };
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

/** Which decoder a file needs, by its first bytes. libvips guesses the coding by the major brand alone. */
function kindOf(head: Buffer): 'psd' | 'heic' | 'avif' | 'other' {
  if (head.toString('latin1', 0, 4) === '8BPS') return 'psd';
  const coding = heifCodingOf(head);
  return coding === 'hevc' ? 'heic' : coding === 'av1' ? 'avif' : 'other';
}

async function readHead(file: string): Promise<Buffer> {
  await using handle = await open(file, 'r');
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(BRANDS_BYTES), 0, BRANDS_BYTES, 0);
  return buffer.subarray(0, bytesRead);
}

function inputTooLarge({ width, height }: Size, limits: InputLimits): LimitExceeded {
  const megapixels = ((width * height) / 1e6).toFixed(1);
  return new LimitExceeded(
    `The original has ${megapixels} megapixels (${width}x${height}); the limit is ${limits.inputMegapixels} (MAX_INPUT_MEGAPIXELS).`,
  );
}
