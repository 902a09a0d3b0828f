import { halves, words } from './png.ts';

/** A coded image of a HEIF file: its data and the properties of its coding. */
export interface CodedItem {
  type: 'av01' | 'hvc1' | 'grid' | 'Exif';
  data: Buffer;
  /** Boxes: size, codec, colour, and transformations of the image, in this order. */
  properties?: readonly Buffer[];
  /** References from this item: their type and the numbers of the other items, starting at 1. */
  refers?: readonly { type: 'dimg' | 'auxl' | 'cdsc' | 'prem'; to: readonly number[] }[];
  hidden?: true;
}

export function box(type: string, ...parts: readonly Buffer[]): Buffer {
  const data = Buffer.concat(parts);
  return Buffer.concat([words(data.length + 8), Buffer.from(type, 'latin1'), data]);
}

/** Returns a box with a version and flags. */
export function fullBox(type: string, version: number, flags: number, ...parts: readonly Buffer[]): Buffer {
  return box(type, words(version * 2 ** 24 + flags), ...parts);
}

/** Size of an image. */
export const ispe = (width: number, height: number) => fullBox('ispe', 0, 0, words(width, height));
/** Three channels of 8 bits. */
export const pixi = fullBox('pixi', 0, 0, Buffer.from([3, 8, 8, 8]));
/** Rotates an image by counterclockwise quarter turns. */
export const irot = (quarters: number) => box('irot', Buffer.from([quarters]));
/** Mirrors an image: 0 exchanges top and bottom, 1 left and right. */
export const imir = (axis: 0 | 1) => box('imir', Buffer.from([axis]));
/** Code points of ITU-T H.273. */
export const nclx = (primaries: number, transfer: number, matrix: number, full: boolean) =>
  box('colr', Buffer.from('nclx'), halves(primaries, transfer, matrix), Buffer.from([full ? 0x80 : 0]));
/** The displayed layer of an image. */
export const lsel = (layer: number) => box('lsel', halves(layer));
/** The displayed operating point of a stream. */
export const a1op = (point: number) => box('a1op', Buffer.from([point]));
export const iccBox = (icc: Buffer) => box('colr', Buffer.from('prof'), icc);
/** Payload of a grid. */
export const gridData = (columns: number, rows: number, width: number, height: number) =>
  Buffer.concat([Buffer.from([0, 0, rows - 1, columns - 1]), halves(width, height)]);

/**
 * Writes a HEIF file. Source: ISO/IEC 23008-12, ISO/IEC 14496-12, 8.11.
 * @param primary the number of its main image, starting at 1
 */
export function writeHeif(brand: 'heic' | 'avif', items: readonly CodedItem[], primary = 1): Buffer {
  const type = box('ftyp', Buffer.from(brand), words(0), Buffer.from(`mif1${brand}miaf`));
  const place = (start: number) => metaOf(items, start, primary);
  const start = type.length + place(0).length + 8;
  return Buffer.concat([type, place(start), box('mdat', ...items.map(({ data }) => data))]);
}

function metaOf(items: readonly CodedItem[], start: number, primary: number): Buffer {
  const handler = fullBox('hdlr', 0, 0, words(0), Buffer.from('pict'), Buffer.alloc(13));
  const infos = items.map(({ type, hidden }, index) =>
    fullBox('infe', 2, hidden ? 1 : 0, halves(index + 1, 0), Buffer.from(`${type}\0`)),
  );
  const references = items.flatMap(({ refers = [] }, index) =>
    refers.map(({ type, to }) => box(type, halves(index + 1, to.length, ...to))),
  );
  let offset = start;
  const places = items.map(({ data }, index) => {
    const place = Buffer.concat([halves(index + 1, 0, 1), words(offset, data.length)]);
    offset += data.length;
    return place;
  });
  return fullBox(
    'meta',
    0,
    0,
    handler,
    fullBox('pitm', 0, 0, halves(primary)),
    fullBox('iloc', 0, 0, Buffer.from([0x44, 0]), halves(items.length), ...places),
    fullBox('iinf', 0, 0, halves(items.length), ...infos),
    ...(references.length > 0 ? [fullBox('iref', 0, 0, ...references)] : []),
    propertiesOf(items),
  );
}

function propertiesOf(items: readonly CodedItem[]): Buffer {
  const all: Buffer[] = [];
  const associations = items.map(({ properties = [] }, index) => {
    const numbers = properties.map((property) => {
      all.push(property);
      const isEssential = /hvcC|av1C|irot|imir|clap|a1op|lsel/.test(property.toString('latin1', 4, 8));
      return all.length + (isEssential ? 0x80 : 0);
    });
    return Buffer.concat([halves(index + 1), Buffer.from([numbers.length, ...numbers])]);
  });
  return box('iprp', box('ipco', ...all), fullBox('ipma', 0, 0, words(items.length), ...associations));
}

/**
 * Returns the main image of a file written by a tool, and its alpha if present: coded data with the boxes for size and
 * codec.
 */
export function readItems(file: Buffer): CodedItem[] {
  const meta = find(boxesOf(file), 'meta').subarray(4);
  const parts = boxesOf(meta);
  const iprp = boxesOf(find(parts, 'iprp'));
  const properties = boxesOf(find(iprp, 'ipco'));
  const associations = readAssociations(find(iprp, 'ipma'));
  return readPlaces(find(parts, 'iloc')).flatMap(({ item, from, length }) => {
    const own = (associations.get(item) ?? []).flatMap((number) => properties[number - 1] ?? []);
    const codec = own.find(({ type }) => type === 'hvcC' || type === 'av1C');
    if (!codec) return [];
    const kept = own.filter(({ type }) => ['hvcC', 'av1C', 'ispe', 'pixi', 'auxC'].includes(type));
    const type = codec.type === 'hvcC' ? 'hvc1' : 'av01';
    return [
      { type, data: file.subarray(from, from + length), properties: kept.map(({ type, data }) => box(type, data)) },
    ];
  });
}

interface Box {
  type: string;
  data: Buffer;
}

function boxesOf(bytes: Buffer): Box[] {
  const found: Box[] = [];
  for (let at = 0; at + 8 <= bytes.length; ) {
    const length = bytes.readUInt32BE(at) || bytes.length - at;
    found.push({ type: bytes.toString('latin1', at + 4, at + 8), data: bytes.subarray(at + 8, at + length) });
    at += length;
  }
  return found;
}

function find(boxes: readonly Box[], type: string): Buffer {
  const found = boxes.find((box) => box.type === type);
  if (!found) throw new Error(`Expected a box ${type}.`);
  return found.data;
}

/** Parses version 0, as written by the tools: property numbers by item. */
function readAssociations(ipma: Buffer): Map<number, number[]> {
  const found = new Map<number, number[]>();
  for (let at = 8; at + 3 <= ipma.length; ) {
    const count = ipma[at + 2] ?? 0;
    found.set(
      ipma.readUInt16BE(at),
      [...ipma.subarray(at + 3, at + 3 + count)].map((number) => number & 0x7f),
    );
    at += 3 + count;
  }
  return found;
}

/** Parses items of one extent each, with offsets from the start of the file. */
function readPlaces(iloc: Buffer): { item: number; from: number; length: number }[] {
  const version = iloc[0] ?? 0;
  const offsetBytes = (iloc[4] ?? 0) >> 4;
  const lengthBytes = (iloc[4] ?? 0) & 15;
  const baseBytes = (iloc[5] ?? 0) >> 4;
  let at = 6;
  const number = (bytes: number) => {
    at += bytes;
    return bytes === 0 ? 0 : iloc.readUIntBE(at - bytes, bytes);
  };
  return Array.from({ length: number(2) }, () => {
    const item = number(2);
    if (version > 0) number(2);
    number(2);
    const base = number(baseBytes);
    if (number(2) !== 1) throw new Error('Expected one extent.');
    return { item, from: base + number(offsetBytes), length: number(lengthBytes) };
  });
}
