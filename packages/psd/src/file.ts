import { checkSize, type DecodeLimits, UnsupportedImage } from '@darkroom/image-files/decoded-image';

/** Colour modes of the format; Lab layers and multichannel (spot inks) are not decoded. */
export type ColourMode = 'bitmap' | 'grey' | 'indexed' | 'rgb' | 'cmyk' | 'duotone' | 'lab';

/** Parts of a PSD or PSB file: lengths checked, nothing decoded. */
export interface PsdFile {
  width: number;
  height: number;
  /** Channels of the merged image: colours, then alpha and spot channels. */
  channels: number;
  depth: 1 | 8 | 16 | 32;
  mode: ColourMode;
  /** True for PSB (version 2), where some lengths are wider. */
  large: boolean;
  /** Colour mode data: the palette of an indexed image. */
  modeData: Buffer;
  /** Image resources by number. */
  resources: ReadonlyMap<number, Buffer>;
  /** Layer info: layer count, records, channels. Empty in a flat file. */
  layerInfo: Buffer;
  /** True if the first channel after the colours of the merged image is its transparency. */
  transparency: boolean;
  /** Merged image: compression and data. */
  merged: Buffer;
}

/** Reads big-endian numbers. Throws UnsupportedImage at the end instead of reading past it. */
export class ByteReader {
  readonly bytes: Buffer;
  offset = 0;

  constructor(bytes: Buffer) {
    this.bytes = bytes;
  }

  get left(): number {
    return this.bytes.length - this.offset;
  }

  take(length: number): Buffer {
    if (length > this.left) throw new UnsupportedImage('the file is truncated or damaged');
    this.offset += length;
    return this.bytes.subarray(this.offset - length, this.offset);
  }

  u8 = () => this.take(1).readUInt8();
  u16 = () => this.take(2).readUInt16BE();
  i16 = () => this.take(2).readInt16BE();
  u32 = () => this.take(4).readUInt32BE();
  i32 = () => this.take(4).readInt32BE();
  text = (length: number) => this.take(length).toString('latin1');
  /** A length of 4 bytes, or 8 in wide fields of a PSB. */
  length = (wide: boolean) => (wide ? Number(this.take(8).readBigUInt64BE()) : this.u32());
}

const MODES: Readonly<Record<number, ColourMode>> = {
  0: 'bitmap',
  1: 'grey',
  2: 'indexed',
  3: 'rgb',
  4: 'cmyk',
  8: 'duotone',
  9: 'lab',
};

/** Blocks whose length takes 8 bytes in a PSB. */
const WIDE_BLOCKS = new Set('LMsk Lr16 Lr32 Layr Mt16 Mt32 Mtrn Alph FMsk lnk2 FEid FXid PxSD cinf'.split(' '));

/**
 * Splits a file into its parts (Adobe Photoshop File Formats Specification, 2019).
 * @throws UnsupportedImage if the file is not a PSD or is cut off, ImageTooLarge if the declared size is over the limit
 */
export function readPsdFile(bytes: Buffer, limits: DecodeLimits): PsdFile {
  const reader = new ByteReader(bytes);
  const header = readHeader(reader, limits);
  const modeData = reader.take(reader.u32());
  const resources = readResources(reader.take(reader.u32()));
  const section = readLayerSection(reader.take(reader.length(header.large)), header.large);
  return { ...header, modeData, resources, ...section, merged: reader.take(reader.left) };
}

function readHeader(reader: ByteReader, limits: DecodeLimits) {
  if (reader.text(4) !== '8BPS') throw new UnsupportedImage('not a PSD file');
  const version = reader.u16();
  reader.take(6);
  const channels = reader.u16();
  const height = reader.u32();
  const width = reader.u32();
  const depth = reader.u16();
  const mode = MODES[reader.u16()];
  if (version !== 1 && version !== 2) throw new UnsupportedImage(`PSD version ${version}`);
  if (mode === undefined) throw new UnsupportedImage('multichannel or unknown colour mode');
  if (depth !== 1 && depth !== 8 && depth !== 16 && depth !== 32) throw new UnsupportedImage(`${depth} bits a channel`);
  if ((depth === 1) !== (mode === 'bitmap')) throw new UnsupportedImage(`${depth} bits a channel in ${mode} mode`);
  if (channels < 1 || channels > 56) throw new UnsupportedImage(`${channels} channels`);
  checkSize(width, height, limits);
  return { width, height, channels, depth, mode, large: version === 2 } as const;
}

function readResources(bytes: Buffer): Map<number, Buffer> {
  const resources = new Map<number, Buffer>();
  const reader = new ByteReader(bytes);
  while (reader.left >= 12) {
    reader.take(4);
    const id = reader.u16();
    reader.take(reader.u8() | 1);
    const data = reader.take(reader.u32());
    reader.take(Math.min(reader.left, data.length % 2));
    if (!resources.has(id)) resources.set(id, data);
  }
  return resources;
}

function readLayerSection(bytes: Buffer, large: boolean): Pick<PsdFile, 'layerInfo' | 'transparency'> {
  const reader = new ByteReader(bytes);
  let layerInfo = reader.left ? reader.take(reader.length(large)) : bytes;
  if (reader.left >= 4) reader.take(Math.min(reader.u32(), reader.left));
  const blocks = readBlocks(reader.take(reader.left), large);
  // 16-bit and 32-bit documents store their layers in a separate block and leave the first one empty.
  if (layerInfo.length < 2 || layerInfo.readInt16BE() === 0) {
    layerInfo = blocks.get('Lr16') ?? blocks.get('Lr32') ?? blocks.get('Layr') ?? Buffer.alloc(0);
  }
  const saved = blocks.has('Mtrn') || blocks.has('Mt16') || blocks.has('Mt32');
  return { layerInfo, transparency: saved || (layerInfo.length >= 2 && layerInfo.readInt16BE() < 0) };
}

/**
 * Reads additional information: signature, key, length, data, padded in various ways. Stops without another signature.
 */
export function readBlocks(bytes: Buffer, large: boolean): Map<string, Buffer> {
  const blocks = new Map<string, Buffer>();
  const reader = new ByteReader(bytes);
  while (reader.left >= 12) {
    const signature = bytes.toString('latin1', reader.offset, reader.offset + 4);
    if (signature !== '8BIM' && signature !== '8B64') {
      if (bytes[reader.offset] !== 0) break;
      reader.take(1);
      continue;
    }
    reader.take(4);
    const key = reader.text(4);
    const length = reader.length(signature === '8B64' || (large && WIDE_BLOCKS.has(key)));
    blocks.set(key, reader.take(length));
  }
  return blocks;
}
