import { deflateSync } from 'node:zlib';

/** Builds small PSD files for tests, section by section. */
export interface Sample {
  version?: 1 | 2;
  /** Number of the colour mode: 0 bitmap, 1 grey, 2 indexed, 3 RGB, 4 CMYK, 8 duotone, 9 Lab. */
  mode: number;
  depth?: 1 | 8 | 16 | 32;
  width: number;
  height: number;
  modeData?: Buffer;
  resources?: Record<number, Buffer>;
  /** Content of the layer and mask section. */
  layers?: Buffer;
  compression?: 0 | 1 | 2 | 3;
  /** Merged image: a buffer for each channel, as stored. */
  planes: Buffer[];
}

export function psdSample(sample: Sample): Buffer {
  const { version = 1, mode, depth = 8, width, height, compression = 0, planes } = sample;
  const resources = Object.entries(sample.resources ?? {}).map(([id, data]) =>
    Buffer.concat([
      Buffer.from('8BIM'),
      u16(Number(id)),
      u16(0),
      u32(data.length),
      data,
      Buffer.alloc(data.length % 2),
    ]),
  );
  return Buffer.concat([
    Buffer.concat([Buffer.from('8BPS'), u16(version), Buffer.alloc(6), u16(planes.length), u32(height), u32(width)]),
    u16(depth),
    u16(mode),
    sized(sample.modeData ?? Buffer.alloc(0)),
    sized(Buffer.concat(resources)),
    sized(sample.layers ?? Buffer.alloc(0), version === 2),
    u16(compression),
    encodePlanes(planes, height, compression, version === 2),
  ]);
}

export interface SampleLayer {
  /** Top, left, bottom, right. */
  bounds: [number, number, number, number];
  blend?: string;
  opacity?: number;
  /** Encoded channels, compression first, by number. */
  channels: Record<number, Buffer>;
}

/** Encodes layer info: count (negative declares a transparent merged image), records, channels. */
export function layerInfo(layers: SampleLayer[], transparent = false): Buffer {
  const records = layers.map(({ bounds, blend = 'norm', opacity = 255, channels }) => {
    const ids = Object.entries(channels).map(([id, data]) =>
      Buffer.concat([u16(Number(id) & 0xffff), u32(data.length)]),
    );
    const extra = Buffer.concat([u32(0), u32(0), Buffer.alloc(4)]);
    return Buffer.concat([
      ...bounds.map((value) => u32(value >>> 0)),
      u16(ids.length),
      ...ids,
      Buffer.from(`8BIM${blend}`),
      Buffer.from([opacity, 0, 0, 0]),
      sized(extra),
    ]);
  });
  const count = transparent ? -layers.length : layers.length;
  return Buffer.concat([u16(count & 0xffff), ...records, ...layers.flatMap(({ channels }) => Object.values(channels))]);
}

/** Encodes one channel of a layer, compression first. */
export const channel = (plane: Buffer, height: number, compression: 0 | 1 | 2 | 3 = 0) =>
  Buffer.concat([u16(compression), encodePlanes([plane], height, compression, false)]);

/** Encodes a block of additional information. */
export const block = (key: string, data: Buffer) => Buffer.concat([Buffer.from(`8BIM${key}`), sized(data)]);

/** Encodes numbers as big-endian 16-bit samples. */
export const wide = (...values: number[]) => Buffer.concat(values.map(u16));

/** Encodes a section: its length, then its bytes. */
export const sized = (data: Buffer, large = false) =>
  Buffer.concat([large ? u32(0) : Buffer.alloc(0), u32(data.length), data]);

/** Compression 3 is for 16 bits only. */
function encodePlanes(planes: Buffer[], height: number, compression: number, large: boolean): Buffer {
  if (compression === 0) return Buffer.concat(planes);
  if (compression > 1)
    return deflateSync(Buffer.concat(compression === 3 ? planes.map((p) => differences(p, height)) : planes));
  const rows = planes.flatMap((plane) => {
    const length = plane.length / height;
    return Array.from({ length: height }, (_, y) => packBits(plane.subarray(y * length, (y + 1) * length)));
  });
  return Buffer.concat([...rows.map((row) => (large ? u32(row.length) : u16(row.length))), ...rows]);
}

/** Compresses runs of three bytes and more, and literals; none longer than 128. */
function packBits(row: Buffer): Buffer {
  const parts: Buffer[] = [];
  let start = 0;
  const flush = (end: number) => {
    if (end > start) parts.push(Buffer.from([end - start - 1]), row.subarray(start, end));
    start = end;
  };
  for (let at = 0; at < row.length; ) {
    let end = at + 1;
    while (end < row.length && end - at < 128 && row[end] === row[at]) end++;
    if (end - at >= 3) {
      flush(at);
      parts.push(Buffer.from([257 - (end - at), row[at] ?? 0]));
      start = end;
    } else {
      end = at + 1;
      if (end - start === 128) flush(end);
    }
    at = end;
  }
  flush(row.length);
  return Buffer.concat(parts);
}

function differences(plane: Buffer, height: number): Buffer {
  const out = Buffer.from(plane);
  const length = plane.length / height;
  for (let i = plane.length - 2; i >= 0; i -= 2) {
    if (i % length !== 0) out.writeUInt16BE((plane.readUInt16BE(i) - plane.readUInt16BE(i - 2)) & 0xffff, i);
  }
  return out;
}

function u16(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16BE(value);
  return bytes;
}

function u32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}
