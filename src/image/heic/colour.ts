import sharp from 'sharp';
import { UnsupportedImage } from '../decoded-image.ts';

/** The content of a `colr` property: an ICC profile, or code points (ITU-T H.273). */
type ColourInformation = { icc: Buffer } | { primaries: number; transfer: number };

/**
 * The ICC profile of a HEIC's main picture, which the decoder ignores; undefined for sRGB or when the file names none.
 * Throws UnsupportedImage for HDR (PQ, HLG), which 8 bits cannot show.
 * Source: ISO/IEC 14496-12, 12.1.5 (colr), ISO/IEC 23008-12, 9.3 (item properties).
 */
export async function heicProfile(bytes: Buffer): Promise<Buffer | undefined> {
  const colours = mainColours(bytes);
  const profile = colours.find((colour) => 'icc' in colour);
  if (profile) return profile.icc;
  const codes = colours.find((colour) => 'transfer' in colour);
  if (codes?.transfer === 16 || codes?.transfer === 18) throw new UnsupportedImage('an HDR picture');
  return codes?.primaries === 12 ? displayP3() : undefined;
}

/** A profile that comes with sharp, taken from a picture of one pixel. */
async function displayP3(): Promise<Buffer | undefined> {
  const pixel = sharp({ create: { width: 1, height: 1, channels: 3, background: 'black' } });
  const png = await pixel.withIccProfile('p3').png().toBuffer();
  return (await sharp(png).metadata()).icc;
}

/** Colour properties of the main item, or (as in some grids) of any item. */
function mainColours(bytes: Buffer): ColourInformation[] {
  const meta = findBox(bytes, 'meta')?.subarray(4);
  const properties = meta && findBox(meta, 'iprp');
  const container = properties && findBox(properties, 'ipco');
  if (!meta || !container) return [];
  const all = boxes(container);
  const main = mainProperties(meta, properties).map((index) => all[index - 1]);
  const own = main.flatMap((box) => (box ? readColour(box) : []));
  return own.length > 0 ? own : all.flatMap(readColour);
}

/** Numbers, from 1, of the properties of the main item. */
function mainProperties(meta: Buffer, properties: Buffer): number[] {
  const pitm = findBox(meta, 'pitm');
  const ipma = findBox(properties, 'ipma');
  if (!pitm || !ipma || pitm.length < 6 || ipma.length < 8) return [];
  const main = pitm[0] && pitm.length >= 8 ? pitm.readUInt32BE(4) : pitm.readUInt16BE(4);
  const idBytes = ipma[0] ? 4 : 2;
  const indexBytes = (ipma[3] as number) & 1 ? 2 : 1;
  let at = 8;
  while (at + idBytes + 1 <= ipma.length) {
    const item = ipma.readUIntBE(at, idBytes);
    const count = ipma[at + idBytes] as number;
    const list = ipma.subarray(at + idBytes + 1, at + idBytes + 1 + count * indexBytes);
    if (item === main && list.length === count * indexBytes) {
      const essential = indexBytes === 2 ? 0x8000 : 0x80;
      return Array.from({ length: count }, (_, i) => list.readUIntBE(i * indexBytes, indexBytes) & (essential - 1));
    }
    at += idBytes + 1 + count * indexBytes;
  }
  return [];
}

function readColour({ type, data }: Box): ColourInformation[] {
  if (type !== 'colr' || data.length < 10) return [];
  const kind = data.toString('latin1', 0, 4);
  if (kind === 'nclx') return [{ primaries: data.readUInt16BE(4), transfer: data.readUInt16BE(6) }];
  const icc = data.subarray(4);
  const isRgb = icc.length >= 132 && icc.toString('latin1', 16, 20) === 'RGB ';
  return (kind === 'prof' || kind === 'rICC') && isRgb ? [{ icc }] : [];
}

interface Box {
  type: string;
  data: Buffer;
}

const findBox = (bytes: Buffer, type: string) => boxes(bytes).find((box) => box.type === type)?.data;

/** The boxes in a sequence, up to the first one that is cut off. */
function boxes(bytes: Buffer): Box[] {
  const found: Box[] = [];
  for (let at = 0; at + 8 <= bytes.length; ) {
    const size = bytes.readUInt32BE(at);
    const wide = size === 1 && at + 16 <= bytes.length;
    const length = wide ? Number(bytes.readBigUInt64BE(at + 8)) : size || bytes.length - at;
    const head = wide ? 16 : 8;
    if (length < head || at + length > bytes.length) break;
    found.push({ type: bytes.toString('latin1', at + 4, at + 8), data: bytes.subarray(at + head, at + length) });
    at += length;
  }
  return found;
}
