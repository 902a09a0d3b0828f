import { createHash } from 'node:crypto';
import { type FileHandle, open } from 'node:fs/promises';

/** Names and digest of a font file. */
export interface FontFile {
  /** Of each of its fonts. */
  families: readonly string[];
  /** Requested code points that one of its fonts has. */
  covers: ReadonlySet<number>;
  /** Differs when its size or any of its tables does. */
  digest: string;
}

/** The file is no font that can be used. The message completes "the file ...". */
export class UnusableFont extends Error {
  override name = 'UnusableFont';
}

const HEADER_BYTES = 12;
const TABLE_BYTES = 16;
const NAME_BYTES = 12;

const MAX_FONTS = 256;
const MAX_TABLES = 256;
const MAX_NAMES_BYTES = 1 << 20;
/** Noto Sans CJK has 500 KB of them. */
const MAX_CHARACTER_MAP_BYTES = 8 << 20;

/** TrueType outlines, on Windows and on a Mac, and OpenType ones. */
const VERSIONS: readonly string[] = ['\0\x01\0\0', 'true', 'OTTO'];

/**
 * Reads the directories and the names of a TTF, OTF or collection of them; not the letters. A directory has a checksum
 * of each of its tables. Source: the OpenType specification, "OpenType Font File" and "name".
 * @param probes code points that the font may have
 * @throws UnusableFont
 */
export async function readFont(file: string, probes: readonly number[] = []): Promise<FontFile> {
  await using handle = await open(file, 'r');
  const { size } = await handle.stat();
  const hash = createHash('sha256').update(`${size}\n`);
  const families = new Set<string>();
  const covers = new Set<number>();
  for (const offset of await fontOffsets(handle)) {
    const { directory, names } = await readDirectory(handle, offset);
    const characters = probes.length === 0 ? undefined : await readCharacterMap(handle, directory);
    for (const probe of probes) if (characters && hasCharacter(characters, probe)) covers.add(probe);
    hash.update(directory).update(names);
    families.add(familyOf(names));
  }
  return { families: [...families], covers, digest: hash.digest('base64url') };
}

/** Returns the offsets of the fonts of a file: one, or those of a collection. */
async function fontOffsets(handle: FileHandle): Promise<number[]> {
  const header = await readAt(handle, 0, HEADER_BYTES);
  const tag = header.toString('latin1', 0, 4);
  if (tag === 'wOF2' || tag === 'wOFF') throw new UnusableFont('is WOFF; only TTF and OTF can be used');
  if (tag !== 'ttcf') return [0];
  const count = header.readUInt32BE(8);
  if (count === 0 || count > MAX_FONTS) throw new UnusableFont('is broken');
  const offsets = await readAt(handle, HEADER_BYTES, count * 4);
  return Array.from({ length: count }, (_, n) => offsets.readUInt32BE(n * 4));
}

async function readDirectory(handle: FileHandle, offset: number): Promise<{ directory: Buffer; names: Buffer }> {
  const header = await readAt(handle, offset, HEADER_BYTES);
  if (!VERSIONS.includes(header.toString('latin1', 0, 4))) throw new UnusableFont('is no TTF or OTF');
  const count = header.readUInt16BE(4);
  if (count > MAX_TABLES) throw new UnusableFont('is broken');
  const directory = await readAt(handle, offset + HEADER_BYTES, count * TABLE_BYTES);
  for (let at = 0; at < directory.length; at += TABLE_BYTES) {
    if (directory.toString('latin1', at, at + 4) !== 'name') continue;
    const length = directory.readUInt32BE(at + 12);
    if (length > MAX_NAMES_BYTES) throw new UnusableFont('is broken');
    return { directory, names: await readAt(handle, directory.readUInt32BE(at + 8), length) };
  }
  throw new UnusableFont('has no name');
}

/** Reads the table of characters; undefined without a usable one. */
async function readCharacterMap(handle: FileHandle, directory: Buffer): Promise<Buffer | undefined> {
  for (let at = 0; at < directory.length; at += TABLE_BYTES) {
    if (directory.toString('latin1', at, at + 4) !== 'cmap') continue;
    const length = directory.readUInt32BE(at + 12);
    return length > MAX_CHARACTER_MAP_BYTES ? undefined : readAt(handle, directory.readUInt32BE(at + 8), length);
  }
  return undefined;
}

/**
 * True if the table maps a code point. Source: the OpenType specification, "cmap", formats 4 and 12, which all current
 * fonts have.
 */
export function hasCharacter(table: Buffer, code: number): boolean {
  try {
    for (let n = 0; n < table.readUInt16BE(2); n++) {
      const start = table.readUInt32BE(4 + n * 8 + 4);
      const format = table.readUInt16BE(start);
      if (format === 12 && isInGroups(table, start, code)) return true;
      if (format === 4 && code <= 0xffff && isInSegments(table, start, code)) return true;
    }
  } catch (error) {
    // A broken table covers nothing.
    if (!(error instanceof RangeError)) throw error;
  }
  return false;
}

function isInGroups(table: Buffer, start: number, code: number): boolean {
  const groups = table.readUInt32BE(start + 12);
  for (let n = 0, at = start + 16; n < groups; n++, at += 12)
    if (code >= table.readUInt32BE(at) && code <= table.readUInt32BE(at + 4)) return true;
  return false;
}

function isInSegments(table: Buffer, start: number, code: number): boolean {
  const ends = start + 14;
  const bytes = table.readUInt16BE(start + 6);
  for (let at = 0; at < bytes; at += 2)
    if (code <= table.readUInt16BE(ends + at)) return code >= table.readUInt16BE(ends + bytes + 2 + at);
  return false;
}

async function readAt(handle: FileHandle, position: number, length: number): Promise<Buffer> {
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, position);
  if (bytesRead < length) throw new UnusableFont('is broken: it ends too early');
  return buffer;
}

const FAMILY = 1;
/** The name of a family with more members than regular, bold and italic. */
const LARGE_FAMILY = 16;

const WINDOWS = 3;
const MACINTOSH = 1;
const ENGLISH = 0x409;

/** The English name of the family, or another one. */
function familyOf(names: Buffer): string {
  if (names.length < 6) throw new UnusableFont('is broken');
  const count = names.readUInt16BE(2);
  const strings = names.readUInt16BE(4);
  let best = '';
  let bestRank = -1;
  for (let n = 0, at = 6; n < count && at + NAME_BYTES <= names.length; n++, at += NAME_BYTES) {
    const [platform = 0, , language = 0, id = 0, length = 0, offset = 0] = Array.from({ length: 6 }, (_, field) =>
      names.readUInt16BE(at + field * 2),
    );
    if (id !== FAMILY && id !== LARGE_FAMILY) continue;
    const isEnglish = platform === WINDOWS && language === ENGLISH;
    const rank = (id === LARGE_FAMILY ? 4 : 0) + (isEnglish ? 2 : platform === WINDOWS ? 1 : 0);
    if (rank <= bestRank) continue;
    const bytes = names.subarray(strings + offset, strings + offset + length);
    best = platform === MACINTOSH ? bytes.toString('latin1') : fromUtf16(bytes);
    bestRank = rank;
  }
  const name = best.trim();
  // A comma would part it into two families.
  if (name === '' || name.includes(',') || /\p{Cc}/u.test(name)) throw new UnusableFont('has no usable name');
  return name;
}

function fromUtf16(bytes: Buffer): string {
  return Buffer.from(bytes.subarray(0, bytes.length & ~1))
    .swap16()
    .toString('utf16le')
    .toWellFormed();
}
