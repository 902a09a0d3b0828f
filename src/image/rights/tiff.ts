import { type ReadBytes, readFrom } from '../boxes.ts';
import { type Rights, textOf } from './rights.ts';

/** Tags of the first directory: those of EXIF, which is laid out as TIFF. */
const TAGS: Readonly<Record<number, keyof Rights>> = { 315: 'Artist', 33432: 'Copyright' };
const ASCII = 2;
/** More entries or characters are not read. */
const MOST_ENTRIES = 500;
const LONGEST = 20_000;

/** How numbers are written in a file. */
interface Layout {
  /** Bytes of an offset, and of a count of values. */
  wide: 4 | 8;
  numberAt(bytes: Buffer, at: number, length: number): number;
}

/** Adds what the tags of a TIFF say to the rights of its picture. No decoder hands on any tag. */
export async function withTiffRights<T extends { rights: Partial<Rights> | undefined }>(
  picture: T,
  file: string,
): Promise<T> {
  const tagged = await readFrom(file, readTiffRights);
  return Object.keys(tagged).length > 0 ? { ...picture, rights: { ...picture.rights, ...tagged } } : picture;
}

/** Copyright and artist of a TIFF. Source: TIFF 6.0, sections 2 and 8. */
export async function readTiffRights(read: ReadBytes): Promise<Partial<Rights>> {
  const head = await read(0, 16);
  const layout = layoutOf(head);
  if (!layout) return {};
  const { wide, numberAt } = layout;
  const directory = numberAt(head, wide, wide);
  const counterBytes = wide === 4 ? 2 : 8;
  const count = numberAt(await read(directory, counterBytes), 0, counterBytes);
  const entryBytes = 4 + 2 * wide;
  const entries = await read(directory + counterBytes, entryBytes * Math.min(count, MOST_ENTRIES));
  const rights: Partial<Rights> = {};
  for (let at = 0; at + entryBytes <= entries.length; at += entryBytes) {
    const name = TAGS[numberAt(entries, at, 2)];
    if (!name || numberAt(entries, at + 2, 2) !== ASCII) continue;
    const text = textOf(await readValue(entries.subarray(at, at + entryBytes), layout, read)).replace(/\0.*$/s, '');
    if (text.trim() !== '') rights[name] = text;
  }
  return rights;
}

/** Undefined for what is no TIFF. BigTIFF has offsets of 8 bytes. */
function layoutOf(head: Buffer): Layout | undefined {
  const isBigEndian = head.toString('latin1', 0, 2) === 'MM';
  const numberAt = (bytes: Buffer, at: number, length: number): number => {
    if (at + length > bytes.length) return 0;
    if (length === 8) return Number(isBigEndian ? bytes.readBigUInt64BE(at) : bytes.readBigUInt64LE(at));
    return isBigEndian ? bytes.readUIntBE(at, length) : bytes.readUIntLE(at, length);
  };
  const version = numberAt(head, 2, 2);
  if (version === 42) return { wide: 4, numberAt };
  return version === 43 ? { wide: 8, numberAt } : undefined;
}

/** What fits stands in the entry itself. */
async function readValue(entry: Buffer, { wide, numberAt }: Layout, read: ReadBytes): Promise<Buffer> {
  const length = numberAt(entry, 4, wide);
  const value = 4 + wide;
  if (length <= wide) return entry.subarray(value, value + length);
  return read(numberAt(entry, value, wide), Math.min(length, LONGEST));
}
