import { type Box, boxes, findBox, type ReadBytes, topBox } from '../boxes.ts';
import { mainItem, propertiesOf, referenceOf, streamOf } from '../colour/item-colour.ts';
import { extentsOf } from '../colour/item-location.ts';
import { parameterSetColourOf } from '../colour/parameter-set.ts';
import type { NarrowChannels, SampleRange } from '../colour/sample-range.ts';
import { sequenceOf } from './av1-frames.ts';
import { hasLayers, type LayerChoice } from './layers.ts';

/** Features of a file that libheif does not apply. */
export interface HeifFaults {
  /** Channels that it does not expand: those of monochrome images, and alpha. */
  narrow: NarrowChannels;
  /** True if colours are multiplied by alpha: there is a reference of type `prem` (ISO/IEC 23008-12, 6.10.1.1). */
  isPremultiplied: boolean;
  /** The alpha item, if its transforms differ from those of the image, which apply to both. */
  turnedAlpha?: { main: number; alpha: number };
  /** Items with several layers, all of which libheif decodes. */
  layered?: readonly LayeredItem[];
  /** Position of a colour box that only states full range. libheif ignores it and uses the range of the stream. */
  rangeAt?: number;
}

/** An AV1 item with several layers. */
export interface LayeredItem {
  choice: LayerChoice;
  /** Position of its stream in the file. */
  at: number;
  length: number;
  /** Position of its width in the file, followed by its height. */
  sizeAt: number;
}

export const NO_FAULTS: HeifFaults = { narrow: { colours: false, alpha: false }, isPremultiplied: false };

/** Transforms in the order of the properties (ISO/IEC 23008-12, 6.5.9 to 6.5.12). */
export const TRANSFORMS = ['clap', 'irot', 'imir'];

/** Names of auxiliary images with the alpha of an image. Source: AVIF 1.1, 4. */
export const ALPHA_TYPES = ['urn:mpeg:mpegB:cicp:systems:auxiliary:alpha', 'urn:mpeg:hevc:2015:auxid:1'];
/** Of an auxiliary image, with its terminator: longer than those above. */
const LONGEST_TYPE = 64;
/** Of one item. Cameras write a few. */
const MOST_AUXILIARIES = 256;

const UNSPECIFIED = 2;
/** Value of `lsel`: no choice. */
const ALL_LAYERS = 0xffff;

/** True if the decoded samples need corrections. */
export function areSamplesWrong({ narrow, isPremultiplied }: HeifFaults): boolean {
  return narrow.colours || narrow.alpha || isPremultiplied;
}

/** Reads headers only. */
export async function readHeifFaults(read: ReadBytes): Promise<HeifFaults> {
  const box = await topBox(read, 'meta');
  const meta = box?.data.subarray(4);
  const main = meta && mainItem(meta);
  if (!box || !meta || main === undefined) return NO_FAULTS;
  const alpha = alphaOf(meta, main);
  const range = await rangeOf(meta, main, read);
  const alphaRange = alpha === undefined ? undefined : await rangeOf(meta, alpha, read);
  const nclx = nclxOf(meta, main);
  const isNarrow = nclx ? !nclx.isFull : range?.isNarrow === true;
  const layered = await Promise.all([main, alpha].map((item) => layersOf(box, meta, item, read)));
  const isRangeLost = nclx?.isUnspecified && nclx.isFull && range?.isNarrow && !range.isMonochrome;
  return {
    narrow: {
      colours: range?.isMonochrome === true && isNarrow,
      // HEVC streams of alpha often state no range, and have full range anyway.
      alpha: alphaRange?.isNarrow === true && alphaRange.isStated,
    },
    isPremultiplied: referenceOf(meta, 'prem', main) !== undefined,
    ...(alpha !== undefined && hasOtherTransforms(meta, main, alpha) && { turnedAlpha: { main, alpha } }),
    ...(layered.some(Boolean) && { layered: layered.filter((item) => item !== undefined) }),
    ...(isRangeLost && { rangeAt: positionIn(box, nclx.data) }),
  };
}

/** Finds items that choose among their layers, or have several. A fragmented stream is left unchanged. */
async function layersOf(
  box: Box,
  meta: Buffer,
  item: number | undefined,
  read: ReadBytes,
): Promise<LayeredItem | undefined> {
  if (item === undefined) return undefined;
  const properties = propertiesOf(meta, item);
  const dataOf = (name: string) => properties.find(({ type }) => type === name)?.data;
  const av1C = dataOf('av1C');
  const ispe = dataOf('ispe');
  const a1op = dataOf('a1op');
  const lsel = dataOf('lsel');
  if (!av1C || !ispe || ispe.length < 12) return undefined;
  if (!a1op && !lsel && !hasLayers(await streamOf(meta, item, read))) return undefined;
  const extents = extentsOf(findBox(meta, 'iloc') ?? Buffer.alloc(0)).filter((extent) => extent.item === item);
  const [extent, another] = extents.take(2).toArray();
  if (!extent || another || extent.isInMeta) return undefined;
  const layer = lsel && lsel.length >= 2 ? lsel.readUInt16BE(0) : ALL_LAYERS;
  return {
    choice: { point: a1op?.[0] ?? 0, layer: layer === ALL_LAYERS ? undefined : layer },
    at: extent.at,
    length: extent.length,
    sizeAt: positionIn(box, ispe) + 4,
  };
}

/** Returns the item with the alpha of an item. */
function alphaOf(meta: Buffer, item: number): number | undefined {
  return auxiliariesOf(meta, item).find((candidate) => isAlpha(meta, candidate));
}

/** Returns the auxiliary items of an item: alpha, depth and others, each once. */
function auxiliariesOf(meta: Buffer, item: number): number[] {
  const found = new Set<number>();
  const iref = findBox(meta, 'iref');
  if (!iref || iref.length < 4) return [];
  const bytes = iref[0] ? 4 : 2;
  for (const { type, data } of boxes(iref.subarray(4))) {
    if (type !== 'auxl' || data.length < 2 * bytes + 2) continue;
    const start = bytes + 2;
    const end = Math.min(data.length, start + data.readUInt16BE(bytes) * bytes);
    let at = start;
    while (at + bytes <= end && data.readUIntBE(at, bytes) !== item) at += bytes;
    if (at + bytes <= end) found.add(data.readUIntBE(0, bytes));
    if (found.size === MOST_AUXILIARIES) break;
  }
  return [...found];
}

function isAlpha(meta: Buffer, item: number): boolean {
  const auxC = propertiesOf(meta, item).find(({ type }) => type === 'auxC')?.data;
  const name = auxC?.toString('latin1', 4, 4 + LONGEST_TYPE).split('\0', 1)[0] ?? '';
  return ALPHA_TYPES.includes(name);
}

/** Reads the range in the stream of an item, or of its first tile. */
async function rangeOf(meta: Buffer, item: number, read: ReadBytes): Promise<SampleRange | undefined> {
  const coded = referenceOf(meta, 'dimg', item) ?? item;
  const properties = propertiesOf(meta, coded);
  const hvcC = properties.find(({ type }) => type === 'hvcC')?.data;
  if (hvcC) return parameterSetColourOf(hvcC)?.range;
  const isAv1 = properties.some(({ type }) => type === 'av1C');
  return isAv1 ? sequenceOf(await streamOf(meta, coded, read))?.range : undefined;
}

/** Reads the code points in the properties of an item, or of its first tile. They override the stream. */
function nclxOf(meta: Buffer, item: number) {
  const tile = referenceOf(meta, 'dimg', item);
  for (const candidate of tile === undefined ? [item] : [item, tile]) {
    for (const { type, data } of propertiesOf(meta, candidate)) {
      if (type !== 'colr' || data.length < 11 || data.toString('latin1', 0, 4) !== 'nclx') continue;
      const isUnspecified = [4, 6, 8].every((at) => data.readUInt16BE(at) === UNSPECIFIED);
      return { data, isUnspecified, isFull: ((data[10] as number) & 0x80) !== 0 };
    }
  }
  return undefined;
}

function hasOtherTransforms(meta: Buffer, main: number, alpha: number): boolean {
  const own = propertiesOf(meta, main);
  const others = propertiesOf(meta, alpha);
  const transformsOf = (properties: readonly Box[]) => properties.filter(({ type }) => TRANSFORMS.includes(type));
  const ofMain = transformsOf(own);
  const ofAlpha = transformsOf(others);
  const isSame = ofMain.length === ofAlpha.length && ofMain.every((box, index) => isEqual(box, ofAlpha[index]));
  // A crop of an image of another size would be another crop.
  const isCut = ofMain.some(({ type }) => type === 'clap');
  return !isSame && (!isCut || isEqual(sizeOf(own), sizeOf(others)));
}

const sizeOf = (properties: readonly Box[]) => properties.find(({ type }) => type === 'ispe');

function isEqual(one: Box | undefined, other: Box | undefined): boolean {
  if (!one || !other) return false;
  return one.type === other.type && one.data.equals(other.data);
}

/** Returns the file position of bytes inside a box. */
function positionIn(box: Box, inner: Buffer): number {
  return box.end - box.data.length + (inner.byteOffset - box.data.byteOffset);
}
