import type { ReadBytes } from '../boxes.ts';
import { UndecodableImage } from '../undecodable-image.ts';

/** Tags of sample storage and rights. Source: TIFF 6.0. */
export const TAGS = {
  width: 256,
  height: 257,
  bits: 258,
  compression: 259,
  photometric: 262,
  fillOrder: 266,
  stripOffsets: 273,
  orientation: 274,
  channels: 277,
  rowsPerStrip: 278,
  stripBytes: 279,
  planar: 284,
  artist: 315,
  predictor: 317,
  colourMap: 320,
  tileWidth: 322,
  tileHeight: 323,
  tileOffsets: 324,
  tileBytes: 325,
  extraSamples: 338,
  sampleFormat: 339,
  copyright: 33_432,
  icc: 34_675,
} as const;

export type Tag = keyof typeof TAGS;

/** An image of a TIFF file, as described by its tags. */
export interface TiffDirectory {
  isLittle: boolean;
  fields: ReadonlyMap<number, Field>;
}

interface Field {
  type: number;
  count: number;
  /** The value, or its offset if it is longer. */
  value: Buffer;
}

/** Number format of a file, and the offset of its first directory. */
interface Form {
  isLittle: boolean;
  /** Of BigTIFF: bytes of a field count, a field, and an offset. */
  bytes: { count: number; field: number; offset: number };
  first: number;
}

/** A directory whose fields have not been read. */
interface Place {
  form: Form;
  /** Offset of its first field. */
  at: number;
  count: number;
}

/** Of BigTIFF, with 64-bit offsets. */
const BIG_VERSION = 43;
/** Each costs a read of the file. Scans of whole archives have a few thousand pages. */
const MOST_DIRECTORIES = 10_000;
/** Directories between two checks for overlaps. */
const LOOK_EVERY = 256;
/** Enough for a directory of usual length with the offset of the next one. */
const DIRECTORY_BYTES = 512;
const MOST_FIELDS = 4096;
const MOST_PROFILE_BYTES = 2 ** 22;
const MOST_TEXT_BYTES = 20_000;
/** Type of texts. */
const ASCII = 2;

/** Bytes of a value by type. Other types are not read. */
const TYPE_BYTES: Readonly<Record<number, number>> = { 1: 1, 3: 2, 4: 4, 7: 1, 13: 4, 16: 8 };

/**
 * Reads the directory of a page, from 1. Undefined if the file has fewer.
 * @throws UndecodableImage as `placesOf` does
 */
export async function readDirectory(read: ReadBytes, page: number): Promise<TiffDirectory | undefined> {
  let number = 1;
  for await (const place of placesOf(read)) {
    if (number === page) return await fieldsAt(read, place);
    number++;
  }
  return undefined;
}

/** @throws UndecodableImage as `placesOf` does */
export async function countDirectories(read: ReadBytes): Promise<number> {
  let count = 0;
  for await (const _ of placesOf(read)) count++;
  return count;
}

/**
 * Yields directories, each of which names the next one; damaged files have cycles. Fields are not read, because a file
 * may have far more of them than the requested page.
 * @throws UndecodableImage if there are too many, or they overlap
 */
async function* placesOf(read: ReadBytes): AsyncGenerator<Place> {
  const form = await formOf(read);
  if (!form) return;
  const { isLittle, bytes } = form;
  const seen = new Set<number>();
  let total = 0;
  for (let at = form.first; at > 0 && !seen.has(at); ) {
    if (seen.size === MOST_DIRECTORIES) {
      throw new UndecodableImage(`The TIFF has more than ${MOST_DIRECTORIES} directories.`);
    }
    seen.add(at);
    const head = await read(at, DIRECTORY_BYTES);
    const count = numberIn(head, isLittle, 0, bytes.count);
    if (count < 1 || count > MOST_FIELDS) return;
    const length = bytes.count + count * bytes.field;
    total += length;
    // The length of the file is not known otherwise.
    if (seen.size % LOOK_EVERY === 0 && (await read(total - 1, 1)).length === 0) {
      throw new UndecodableImage('The directories of the TIFF lie over each other.');
    }
    yield { form, at: at + bytes.count, count };
    const isWhole = length + bytes.offset <= head.length;
    const next = isWhole ? head.subarray(length) : await read(at + length, bytes.offset);
    at = numberIn(next, isLittle, 0, bytes.offset);
  }
}

async function formOf(read: ReadBytes): Promise<Form | undefined> {
  const head = await read(0, 16);
  if (head.length < 16) return undefined;
  const isLittle = head.toString('latin1', 0, 2) === 'II';
  const isBig = numberIn(head, isLittle, 2, 4) === BIG_VERSION;
  const first = isBig ? numberIn(head, isLittle, 8, 16) : numberIn(head, isLittle, 4, 8);
  return { isLittle, first, bytes: isBig ? { count: 8, field: 20, offset: 8 } : { count: 2, field: 12, offset: 4 } };
}

async function fieldsAt(read: ReadBytes, { form, at, count }: Place): Promise<TiffDirectory> {
  const { isLittle } = form;
  const size = form.bytes.field;
  const bytes = await read(at, count * size);
  const fields = new Map<number, Field>();
  for (let start = 0; start + size <= bytes.length; start += size) {
    const field = bytes.subarray(start, start + size);
    fields.set(numberIn(field, isLittle, 0, 2), fieldOf(field, isLittle));
  }
  return { isLittle, fields };
}

function fieldOf(field: Buffer, isLittle: boolean): Field {
  const valueAt = field.length === 20 ? 12 : 8;
  return {
    type: numberIn(field, isLittle, 2, 4),
    count: numberIn(field, isLittle, 4, valueAt),
    value: field.subarray(valueAt),
  };
}

/**
 * Returns the first whole numbers of a tag; none if the directory lacks it, or its value is outside the file.
 * @param most expected number; a damaged file may claim millions
 */
export async function valuesOf(read: ReadBytes, directory: TiffDirectory, tag: Tag, most: number): Promise<number[]> {
  const { isLittle, fields } = directory;
  const field = fields.get(TAGS[tag]);
  const size = TYPE_BYTES[field?.type ?? 0];
  if (!field || !size) return [];
  const bytes = await bytesOf(read, directory, field, { size, most });
  return Array.from({ length: Math.floor(bytes.length / size) }, (_, index) =>
    numberIn(bytes, isLittle, index * size, (index + 1) * size),
  );
}

/** Returns the raw bytes of a tag. */
export async function bytesOfTag(read: ReadBytes, directory: TiffDirectory, tag: Tag): Promise<Buffer | undefined> {
  const field = directory.fields.get(TAGS[tag]);
  if (!field || field.count > MOST_PROFILE_BYTES) return undefined;
  return await bytesOf(read, directory, field, { size: 1, most: field.count });
}

/** Returns the beginning of a text, in the encoding of the file. Undefined if the directory lacks it. */
export async function textOfTag(read: ReadBytes, directory: TiffDirectory, tag: Tag): Promise<Buffer | undefined> {
  const field = directory.fields.get(TAGS[tag]);
  return field?.type === ASCII ? await bytesOf(read, directory, field, { size: 1, most: MOST_TEXT_BYTES }) : undefined;
}

async function bytesOf(
  read: ReadBytes,
  { isLittle }: TiffDirectory,
  { count, value }: Field,
  { size, most }: { size: number; most: number },
): Promise<Buffer> {
  const length = Math.min(count, most) * size;
  // The total number of values decides where they are stored, not the requested number.
  if (count * size <= value.length) return value.subarray(0, length);
  return await read(numberIn(value, isLittle), length);
}

/** Returns a number of up to 8 bytes. Unsafe integers are outside of any file. */
function numberIn(bytes: Buffer, isLittle: boolean, start = 0, stop = bytes.length): number {
  const end = Math.min(stop, bytes.length);
  let number = 0;
  for (let index = start; index < end; index++) {
    number = number * 256 + (bytes[isLittle ? end - 1 - (index - start) : index] as number);
  }
  return number;
}
