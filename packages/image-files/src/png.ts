import { open } from 'node:fs/promises';
import { crc32, deflateSync } from 'node:zlib';

/** A chunk of a file, by its offsets. */
export interface PngChunk {
  type: string;
  /** Of its length, which comes first. */
  start: number;
  end: number;
}

/** The chunks of a PNG. The last one may reach beyond the end of a file that is cut off. */
export function* chunksOf(png: Buffer): Generator<PngChunk> {
  for (let start = 8; start + 12 <= png.length; ) {
    const end = start + 12 + png.readUInt32BE(start);
    yield { type: png.toString('latin1', start + 4, start + 8), start, end };
    start = end;
  }
}

/** 72 dots per inch, in dots per metre. */
const PLAIN_RESOLUTION = pngChunk('pHYs', Buffer.from([0, 0, 0x0b, 0x13, 0, 0, 0x0b, 0x13, 1]));
/** Chunks that libvips writes before the pixels; it has a handful. */
const MAX_HEAD_CHUNKS = 100;

/**
 * Overwrites the resolution in a PNG of libvips, which copies that of the original into every result.
 * Source: PNG 3rd edition, 11.3.4.3.
 */
export async function hidePngResolution(file: string): Promise<void> {
  await using handle = await open(file, 'r+');
  const head = Buffer.alloc(8);
  let at = 8;
  for (let count = 0; count < MAX_HEAD_CHUNKS; count++) {
    const { bytesRead } = await handle.read(head, 0, head.length, at);
    const type = head.toString('latin1', 4);
    if (bytesRead < head.length || type === 'IDAT') return;
    const size = 12 + head.readUInt32BE(0);
    if (type === 'pHYs' && size === PLAIN_RESOLUTION.length) {
      await handle.write(PLAIN_RESOLUTION, 0, size, at);
      return;
    }
    at += size;
  }
}

/** Interleaved samples of grey or RGB, alpha last; those of 16 bits have the high byte first. */
interface Plain {
  samples: Uint8Array;
  width: number;
  height: number;
  channels: number;
  depth?: 8 | 16;
  icc?: Buffer;
}

/**
 * A PNG with stored (uncompressed) rows, one IDAT for each row, in one allocation. Source: PNG 3rd edition, RFC 1950.
 */
export function encodePng({ width, height, samples, depth = 8, channels, icc }: Plain): Buffer {
  const rowBytes = samples.length / height;
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header[8] = depth;
  header[9] = (channels < 3 ? 0 : 2) + (channels % 2 ? 0 : 4);
  const start = [Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), pngChunk('IHDR', header)];
  if (icc) start.push(profileChunk(icc));
  start.push(pngChunk('IDAT', Buffer.from([0x78, 0x01])));

  const blocks = Math.ceil((rowBytes + 1) / 65_535);
  const startBytes = start.reduce((sum, part) => sum + part.length, 0);
  const png = Buffer.allocUnsafe(startBytes + height * (12 + blocks * 5 + rowBytes + 1) + 21 + 12);
  let at = 0;
  for (const part of start) at += part.copy(png, at);
  const row = Buffer.alloc(rowBytes + 1);
  let adler = 1;
  for (let y = 0; y < height; y++) {
    row.set(samples.subarray(y * rowBytes, (y + 1) * rowBytes), 1);
    adler = adler32(row, adler);
    at = writeChunk(png, at, 'IDAT', (from) => writeStored(png, from, row));
  }
  const end = Buffer.from([1, 0, 0, 0xff, 0xff, 0, 0, 0, 0]);
  end.writeUInt32BE(adler, 5);
  at += pngChunk('IDAT', end).copy(png, at);
  pngChunk('IEND', Buffer.alloc(0)).copy(png, at);
  return png;
}

/** The chunk that holds an ICC profile. Source: PNG 3rd edition, 11.3.2.3. */
export function profileChunk(icc: Buffer): Buffer {
  return pngChunk('iCCP', Buffer.concat([Buffer.from('icc\0\0'), deflateSync(icc, { level: 0 })]));
}

/** A chunk with its length and its checksum. Source: PNG 3rd edition, 5.3. */
export function pngChunk(type: string, data: Buffer): Buffer {
  const out = Buffer.allocUnsafe(12 + data.length);
  writeChunk(out, 0, type, (from) => from + data.copy(out, from));
  return out;
}

/**
 * Writes length, type, the data that `fill` writes at its offset, and the checksum. @returns the offset after
 * it
 */
function writeChunk(out: Buffer, at: number, type: string, fill: (from: number) => number): number {
  out.write(type, at + 4, 'latin1');
  const end = fill(at + 8);
  out.writeUInt32BE(end - at - 8, at);
  return out.writeUInt32BE(crc32(out.subarray(at + 4, end)), end);
}

/** Stored deflate blocks, none of them the last. */
function writeStored(out: Buffer, at: number, data: Buffer): number {
  let to = at;
  for (let from = 0; from < data.length; from += 65_535) {
    const length = Math.min(65_535, data.length - from);
    to = out.writeUInt8(0, to);
    to = out.writeUInt16LE(length, to);
    to = out.writeUInt16LE(length ^ 0xffff, to);
    to += data.copy(out, to, from, from + length);
  }
  return to;
}

function adler32(data: Buffer, start: number): number {
  let a = start & 0xffff;
  let b = start >>> 16;
  for (let from = 0; from < data.length; from += 3800) {
    const end = Math.min(from + 3800, data.length);
    for (let i = from; i < end; i++) {
      a += data[i] as number;
      b += a;
    }
    a %= 65_521;
    b %= 65_521;
  }
  return ((b << 16) | a) >>> 0;
}
