import type { ReadBytes } from '../boxes.ts';
import { UndecodableImage } from '../failure.ts';

/** Tags that say how samples are stored. Source: TIFF 6.0. */
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
  predictor: 317,
  colourMap: 320,
  tileWidth: 322,
  tileHeight: 323,
  tileOffsets: 324,
  tileBytes: 325,
  extraSamples: 338,
  sampleFormat: 339,
  icc: 34_675,
} as const;

export type Tag = keyof typeof TAGS;

/** An image of a TIFF file, as its tags describe it. */
export interface TiffDirectory {
  isLittle: boolean;
  fields: ReadonlyMap<number, Field>;
}

interface Field {
  type: number;
  count: number;
  /** The value, or its offset where it is longer. */
  value: Buffer;
}

/** Of BigTIFF, with offsets of 64 bits. */
const BIG_VERSION = 43;
/** libtiff reads no more pages either. */
const MOST_DIRECTORIES = 65_535;
const MOST_FIELDS = 4096;
const MOST_VALUES = 2 ** 22;

/** Bytes of a value of each type. Those of other types are not read. */
const TYPE_BYTES: Readonly<Record<number, number>> = { 1: 1, 3: 2, 4: 4, 7: 1, 13: 4, 16: 8 };

/** Reads the directory of a page, from 1. Undefined where the file ends before it. */
export async function readDirectory(read: ReadBytes, page: number): Promise<TiffDirectory | undefined> {
  let number = 1;
  for await (const directory of directoriesOf(read)) {
    if (number === page) return directory;
    number++;
  }
  return undefined;
}

export async function countDirectories(read: ReadBytes): Promise<number> {
  let count = 0;
  for await (const _ of directoriesOf(read)) count++;
  return count;
}

/** Each directory names the next one. The last one names none; damaged files have rings. */
async function* directoriesOf(read: ReadBytes): AsyncGenerator<TiffDirectory> {
  const head = await read(0, 16);
  if (head.length < 16) return;
  const isLittle = head.toString('latin1', 0, 2) === 'II';
  const isBig = numberIn(head.subarray(2, 4), isLittle) === BIG_VERSION;
  const seen = new Set<number>();
  let at = numberIn(isBig ? head.subarray(8, 16) : head.subarray(4, 8), isLittle);
  while (at > 0 && !seen.has(at) && seen.size < MOST_DIRECTORIES) {
    seen.add(at);
    const count = numberIn(await read(at, isBig ? 8 : 2), isLittle);
    if (count < 1 || count > MOST_FIELDS) return;
    const fieldBytes = isBig ? 20 : 12;
    const bytes = await read(at + (isBig ? 8 : 2), count * fieldBytes + (isBig ? 8 : 4));
    const fields = new Map<number, Field>();
    for (let start = 0; start + fieldBytes <= Math.min(bytes.length, count * fieldBytes); start += fieldBytes) {
      const field = bytes.subarray(start, start + fieldBytes);
      fields.set(numberIn(field.subarray(0, 2), isLittle), fieldOf(field, isLittle));
    }
    yield { isLittle, fields };
    at = numberIn(bytes.subarray(count * fieldBytes), isLittle);
  }
}

function fieldOf(field: Buffer, isLittle: boolean): Field {
  const valueAt = field.length === 20 ? 12 : 8;
  return {
    type: numberIn(field.subarray(2, 4), isLittle),
    count: numberIn(field.subarray(4, valueAt), isLittle),
    value: field.subarray(valueAt),
  };
}

/**
 * The whole numbers of a tag; none where the directory does not have it, or its value is not in the file.
 * @throws UndecodableImage when there are too many
 */
export async function valuesOf(read: ReadBytes, directory: TiffDirectory, tag: Tag): Promise<number[]> {
  const { isLittle, fields } = directory;
  const field = fields.get(TAGS[tag]);
  const size = TYPE_BYTES[field?.type ?? 0];
  if (!field || !size) return [];
  if (field.count > MOST_VALUES) throw new UndecodableImage(`The TIFF has ${field.count} values of tag ${TAGS[tag]}.`);
  const bytes = await bytesOf(read, directory, field, field.count * size);
  return Array.from({ length: Math.floor(bytes.length / size) }, (_, index) =>
    numberIn(bytes.subarray(index * size, (index + 1) * size), isLittle),
  );
}

/** The bytes of a tag, as they are in the file. */
export async function bytesOfTag(read: ReadBytes, directory: TiffDirectory, tag: Tag): Promise<Buffer | undefined> {
  const field = directory.fields.get(TAGS[tag]);
  if (!field || field.count > MOST_VALUES) return undefined;
  return await bytesOf(read, directory, field, field.count);
}

async function bytesOf(
  read: ReadBytes,
  { isLittle }: TiffDirectory,
  { value }: Field,
  length: number,
): Promise<Buffer> {
  if (length <= value.length) return value.subarray(0, length);
  return await read(numberIn(value, isLittle), length);
}

/** A number of up to 8 bytes. One beyond the safe ones is outside of any file. */
function numberIn(bytes: Buffer, isLittle: boolean): number {
  let number = 0;
  for (let index = 0; index < bytes.length; index++) {
    number = number * 256 + (bytes[isLittle ? bytes.length - 1 - index : index] as number);
  }
  return number;
}
