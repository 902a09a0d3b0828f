import { type Box, boxes, findBox, type ReadBytes, topBox } from '../boxes.ts';
import { sequenceOf } from '../heif/av1-frames.ts';
import type { CodePoints } from './description.ts';
import { extentsOf } from './item-location.ts';
import { parameterSetColourOf } from './parameter-set.ts';

/** Colours stated by a file. A profile takes precedence over code points. */
export type ItemColour = { icc: Buffer } | CodePoints;

/** Enough of a coded image to contain its sequence header. */
const STREAM_BYTES = 1024;

/**
 * Reads the colours of the main image of an AVIF or HEIC: from the properties of its main item, else of its first tile,
 * else from its stream; without items from the description of the first track. Sources: ISO/IEC 14496-12, 8.5.2 and
 * 12.1.5 (colr); ISO/IEC 23008-12, 6.5.5 and 9.3 (item properties).
 */
export async function readItemColour(read: ReadBytes): Promise<ItemColour | undefined> {
  const meta = (await topBox(read, 'meta'))?.data.subarray(4);
  const main = meta && mainItem(meta);
  if (!meta || !main) {
    const moov = (await topBox(read, 'moov'))?.data;
    return moov && trackColour(moov);
  }
  const tile = referenceOf(meta, 'dimg', main);
  const items = (tile === undefined ? [main] : [main, tile]).map((item) => ({
    item,
    properties: propertiesOf(meta, item),
  }));
  for (const { properties } of items) {
    const colour = best(properties);
    if (colour) return colour;
  }
  for (const { item, properties } of items) {
    const hvcC = properties.find(({ type }) => type === 'hvcC')?.data;
    const stated = hvcC ? parameterSetColourOf(hvcC) : sequenceOf(await streamOf(meta, item, read));
    if (stated?.codes) return stated.codes;
  }
  return undefined;
}

/** Returns the number of the main item. */
export function mainItem(meta: Buffer): number | undefined {
  const pitm = findBox(meta, 'pitm');
  if (!pitm || pitm.length < 6) return undefined;
  return pitm[0] && pitm.length >= 8 ? pitm.readUInt32BE(4) : pitm.readUInt16BE(4);
}

/** Property number of an item, from 1; readers have to know an essential one. */
export interface Association {
  item: number;
  properties: { number: number; isEssential: boolean }[];
}

/** Yields the content of an `ipma` box, up to where it is truncated. */
export function* readAssociations(ipma: Buffer): Generator<Association> {
  if (ipma.length < 8) return;
  const idBytes = ipma[0] ? 4 : 2;
  const numberBytes = (ipma[3] as number) & 1 ? 2 : 1;
  const essential = numberBytes === 2 ? 0x8000 : 0x80;
  let at = 8;
  while (at + idBytes + 1 <= ipma.length) {
    const count = ipma[at + idBytes] as number;
    const list = ipma.subarray(at + idBytes + 1, at + idBytes + 1 + count * numberBytes);
    if (list.length < count * numberBytes) return;
    const values = Array.from({ length: count }, (_, index) => list.readUIntBE(index * numberBytes, numberBytes));
    const properties = values.map((value) => ({ number: value & (essential - 1), isEssential: value >= essential }));
    yield { item: ipma.readUIntBE(at, idBytes), properties };
    at += idBytes + 1 + list.length;
  }
}

/** Property numbers have 15 bits. */
const MOST_PROPERTIES = 2 ** 15 - 1;
/** libheif reads at most a thousand. */
const MOST_ITEMS = 2 ** 14;

type ItemProperties = ReadonlyMap<number, readonly Box[]>;

/** Indexed once per `meta`, because a hostile file has millions of boxes and queries many items. */
const listed = new WeakMap<Buffer, ItemProperties>();

/** Returns the properties of an item, in order. */
export function propertiesOf(meta: Buffer, item: number): readonly Box[] {
  const known = listed.get(meta) ?? listProperties(meta);
  listed.set(meta, known);
  return known.get(item) ?? [];
}

/** Of several associations of an item the first one applies. */
function listProperties(meta: Buffer): ItemProperties {
  const properties = new Map<number, readonly Box[]>();
  const iprp = findBox(meta, 'iprp');
  const ipco = iprp && findBox(iprp, 'ipco');
  if (!ipco) return properties;
  const all = boxes(ipco).take(MOST_PROPERTIES).toArray();
  const tables = boxes(iprp).filter(({ type }) => type === 'ipma');
  for (const own of tables.flatMap(({ data }) => readAssociations(data))) {
    if (own.properties.length === 0 || properties.has(own.item)) continue;
    properties.set(
      own.item,
      own.properties.flatMap(({ number }) => all[number - 1] ?? []),
    );
    if (properties.size === MOST_ITEMS) break;
  }
  return properties;
}

/** Returns the first item that an item references, such as the first tile that it is composed of (`dimg`). */
export function referenceOf(meta: Buffer, type: string, item: number): number | undefined {
  const iref = findBox(meta, 'iref');
  if (!iref || iref.length < 4) return undefined;
  const bytes = iref[0] ? 4 : 2;
  const references = boxes(iref.subarray(4)).filter((box) => box.type === type && box.data.length >= 2 * bytes + 2);
  return references.find(({ data }) => data.readUIntBE(0, bytes) === item)?.data.readUIntBE(bytes + 2, bytes);
}

function best(properties: readonly Box[]): ItemColour | undefined {
  const colours = properties.flatMap((property) => readColour(property));
  return colours.find((colour) => 'icc' in colour) ?? colours[0];
}

function readColour({ type, data }: Box): ItemColour[] {
  if (type !== 'colr' || data.length < 10) return [];
  const kind = data.toString('latin1', 0, 4);
  if (kind === 'nclx') {
    const codes = { primaries: data.readUInt16BE(4), transfer: data.readUInt16BE(6) };
    // Unspecified (2) leaves it to the stream.
    return codes.primaries === 2 && codes.transfer === 2 ? [] : [codes];
  }
  const icc = data.subarray(4);
  const isRgb = icc.length >= 132 && icc.toString('latin1', 16, 20) === 'RGB ';
  return (kind === 'prof' || kind === 'rICC') && isRgb ? [{ icc }] : [];
}

/** Fields of a visual sample entry before its boxes. */
const SAMPLE_ENTRY_BYTES = 78;

function trackColour(moov: Buffer): ItemColour | undefined {
  const inner = ['trak', 'mdia', 'minf', 'stbl', 'stsd'];
  const stsd = inner.reduce<Buffer | undefined>((outer, type) => outer && findBox(outer, type), moov);
  const entry = stsd && boxes(stsd.subarray(8)).next().value;
  return entry && best([...boxes(entry.data.subarray(SAMPLE_ENTRY_BYTES))]);
}

/** Returns the first bytes of an item, from the file or the metadata. */
export async function streamOf(meta: Buffer, item: number, read: ReadBytes): Promise<Buffer> {
  const extent = extentsOf(findBox(meta, 'iloc') ?? Buffer.alloc(0)).find((candidate) => candidate.item === item);
  const length = Math.min(extent?.length || STREAM_BYTES, STREAM_BYTES);
  if (!extent) return Buffer.alloc(0);
  if (extent.isInMeta) return (findBox(meta, 'idat') ?? Buffer.alloc(0)).subarray(extent.at, extent.at + length);
  return await read(extent.at, length);
}
