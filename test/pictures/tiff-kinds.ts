import { deflateSync } from 'node:zlib';

/** A page of a TIFF file, in any sample layout. */
export interface TiffKind {
  width: number;
  height: number;
  channels: number;
  bits: number;
  photometric: number;
  /** Returns a number from 0 to 2 to the power of the bits. */
  sample(x: number, y: number, channel: number): number;
  /** 1 none, 8 Deflate, 32773 PackBits; any other number is only declared. */
  compression?: number;
  isPlanar?: boolean;
  tile?: { width: number; height: number };
  rowsPerStrip?: number;
  /** True for differences to the left neighbour, of 8 or 16 bits. */
  isPredicted?: boolean;
  lowestBitFirst?: boolean;
  orientation?: number;
  sampleFormat?: number;
  extraSamples?: number;
  palette?: readonly number[];
  icc?: Buffer;
  isBigEndian?: boolean;
  /** BigTIFF. */
  isBig?: boolean;
}

type Value = readonly number[] | Buffer;

const TYPE_BYTES: Readonly<Record<number, number>> = { 3: 2, 4: 4, 7: 1, 16: 8 };

/** Writes a TIFF file by hand. Source: TIFF 6.0. */
export function tiffKind(page: TiffKind): Buffer {
  const { isBigEndian = false, isBig = false } = page;
  const number = (value: number, bytes: number) => {
    const out = Buffer.alloc(bytes);
    if (bytes === 8) isBigEndian ? out.writeBigUInt64BE(BigInt(value)) : out.writeBigUInt64LE(BigInt(value));
    else isBigEndian ? out.writeUIntBE(value, 0, bytes) : out.writeUIntLE(value, 0, bytes);
    return out;
  };
  const wide = isBig ? 8 : 4;
  const parts: Buffer[] = [Buffer.alloc(isBig ? 16 : 8)];
  let end = isBig ? 16 : 8;
  const append = (bytes: Buffer) => {
    const at = end;
    const padded = Buffer.concat([bytes, Buffer.alloc(bytes.length % 2)]);
    parts.push(padded);
    end += padded.length;
    return at;
  };
  const chunks = chunksOf(page).map((bytes) => packed(bytes, page));
  const offsets = chunks.map(append);
  const fields: [tag: number, type: number, value: Value][] = tagsOf(page, offsets, chunks);
  const entries = fields.map(([tag, type, value]) => {
    const size = TYPE_BYTES[type] ?? 1;
    const bytes = Buffer.isBuffer(value) ? value : Buffer.concat(value.map((one) => number(one, size)));
    const stored =
      bytes.length <= wide ? Buffer.concat([bytes, Buffer.alloc(wide - bytes.length)]) : number(append(bytes), wide);
    return Buffer.concat([number(tag, 2), number(type, 2), number(bytes.length / size, wide), stored]);
  });
  const directory = append(Buffer.concat([number(entries.length, isBig ? 8 : 2), ...entries, Buffer.alloc(wide)]));
  const order = Buffer.from(isBigEndian ? 'MM' : 'II');
  const header = isBig
    ? [order, number(43, 2), number(8, 2), number(0, 2), number(directory, 8)]
    : [order, number(42, 2), number(directory, 4)];
  return Buffer.concat([...header, ...parts.slice(1)]);
}

function tagsOf(page: TiffKind, offsets: readonly number[], chunks: readonly Buffer[]): [number, number, Value][] {
  const { width, height, channels, bits, photometric, compression = 1, tile, isPlanar = false } = page;
  const sizes = chunks.map(({ length }) => length);
  const tags: ([number, number, Value] | undefined)[] = [
    [256, 4, [width]],
    [257, 4, [height]],
    [258, 3, new Array(channels).fill(bits)],
    [259, 3, [compression]],
    [262, 3, [photometric]],
    page.lowestBitFirst ? [266, 3, [2]] : undefined,
    tile ? undefined : [273, 4, offsets],
    [274, 3, [page.orientation ?? 1]],
    [277, 3, [channels]],
    tile ? undefined : [278, 4, [page.rowsPerStrip ?? height]],
    tile ? undefined : [279, 4, sizes],
    [284, 3, [isPlanar ? 2 : 1]],
    page.isPredicted ? [317, 3, [2]] : undefined,
    page.palette ? [320, 3, page.palette] : undefined,
    tile ? [322, 4, [tile.width]] : undefined,
    tile ? [323, 4, [tile.height]] : undefined,
    tile ? [324, 4, offsets] : undefined,
    tile ? [325, 4, sizes] : undefined,
    page.extraSamples === undefined ? undefined : [338, 3, [page.extraSamples]],
    page.sampleFormat === undefined ? undefined : [339, 3, new Array(channels).fill(page.sampleFormat)],
    page.icc ? [34_675, 7, page.icc] : undefined,
  ];
  return tags.filter((tag) => tag !== undefined);
}

/** Returns strips or tiles before their coding. */
function chunksOf(page: TiffKind): Buffer[] {
  const { width, height, channels, tile, isPlanar = false, rowsPerStrip = height } = page;
  const chunk = tile ?? { width, height: rowsPerStrip };
  const chunks: Buffer[] = [];
  for (let plane = 0; plane < (isPlanar ? channels : 1); plane++) {
    const own = isPlanar ? [plane] : Array.from({ length: channels }, (_, channel) => channel);
    for (let top = 0; top < height; top += chunk.height) {
      for (let left = 0; left < width; left += chunk.width) {
        const rows = tile ? chunk.height : Math.min(chunk.height, height - top);
        const lines = Array.from({ length: rows }, (_, y) =>
          rowOf(page, own, { left, y: top + y, width: chunk.width }),
        );
        chunks.push(Buffer.concat(lines));
      }
    }
  }
  return chunks;
}

function rowOf(
  page: TiffKind,
  channels: readonly number[],
  { left, y, width }: { left: number; y: number; width: number },
) {
  const { bits, isBigEndian = false, isPredicted = false } = page;
  const isInside = (x: number) => x < page.width && y < page.height;
  const values: number[] = [];
  for (let x = left; x < left + width; x++) {
    for (const channel of channels) values.push(isInside(x) ? page.sample(x, y, channel) : 0);
  }
  const step = channels.length;
  const stored = isPredicted
    ? values.map((value, index) => (index < step ? value : (value - (values[index - step] ?? 0)) & (2 ** bits - 1)))
    : values;
  if (bits % 16 === 0) {
    const bytes = Buffer.alloc((stored.length * bits) / 8);
    for (const [index, value] of stored.entries()) {
      const at = (index * bits) / 8;
      if (isBigEndian) bytes.writeUIntBE(value, at, bits / 8);
      else bytes.writeUIntLE(value, at, bits / 8);
    }
    return bytes;
  }
  const text = stored.map((value) => value.toString(2).padStart(bits, '0')).join('');
  const padded = text.padEnd(Math.ceil(text.length / 8) * 8, '0');
  return Buffer.from((padded.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
}

function packed(bytes: Buffer, { compression = 1, lowestBitFirst = false }: TiffKind): Buffer {
  const coded = compression === 8 ? deflateSync(bytes) : compression === 32_773 ? packBits(bytes) : bytes;
  if (!lowestBitFirst) return coded;
  return Buffer.from(
    coded.map((byte) => Number.parseInt(byte.toString(2).padStart(8, '0').split('').reverse().join(''), 2)),
  );
}

/** Compresses runs of equal bytes, and literals. */
function packBits(bytes: Buffer): Buffer {
  const out: number[] = [];
  for (let at = 0; at < bytes.length; ) {
    let run = 1;
    while (run < 128 && bytes[at + run] === bytes[at]) run++;
    if (run > 1) out.push(257 - run, bytes[at] as number);
    else out.push(0, bytes[at] as number);
    at += run;
  }
  return Buffer.from(out);
}
