import { inflateSync } from 'node:zlib';
import { UnsupportedImage } from '@darkroom/image-files/decoded-image';
import { unpackBits } from '@darkroom/image-files/pack-bits';
import type { Samples } from '@darkroom/image-files/samples';
import type { ByteReader } from './file.ts';

/** One channel of an image or layer: rows of big-endian samples with `depth` bits. */
export interface PlaneSize {
  width: number;
  height: number;
  depth: 1 | 8 | 16 | 32;
}

const rowBytes = ({ width, depth }: PlaneSize) => (depth === 1 ? Math.ceil(width / 8) : (width * depth) / 8);

/**
 * Reads the first `requested` of `count` planes that are stored together (a layer's channel is one of one) as samples.
 * Compression: 0 raw, 1 RLE (row lengths first), 2 ZIP, 3 ZIP of differences. 32-bit floats (linear, white at 1) become
 * 16 bits, clipped to 0..1.
 * @throws UnsupportedImage if data is missing
 */
export function readPlanes(
  reader: ByteReader,
  size: PlaneSize,
  count: number,
  requested: number,
  large: boolean,
): Samples[] {
  const compression = reader.u16();
  const bytes = rowBytes(size) * size.height;
  const indexes = Array.from({ length: requested }, (_, index) => index);
  if (compression === 0) return indexes.map(() => toSamples(reader.take(bytes), size));
  if (compression === 1) {
    const table = reader.take(size.height * count * (large ? 4 : 2));
    const rowLength = (row: number) => (large ? table.readUInt32BE(row * 4) : table.readUInt16BE(row * 2));
    return indexes.map((index) =>
      toSamples(
        readRle(reader, size, (y) => rowLength(index * size.height + y)),
        size,
      ),
    );
  }
  if (compression > 3) throw new UnsupportedImage(`compression ${compression}`);
  const all = inflate(reader.take(reader.left), bytes * count);
  return indexes.map((index) => {
    const plane = all.subarray(index * bytes, (index + 1) * bytes);
    return toSamples(compression === 3 ? undoDifferences(plane, size) : plane, size);
  });
}

function readRle(reader: ByteReader, size: PlaneSize, rowLength: (y: number) => number): Buffer {
  const length = rowBytes(size);
  const plane = Buffer.alloc(length * size.height);
  for (let y = 0; y < size.height; y++)
    unpackBits(reader.take(rowLength(y)), plane.subarray(y * length, (y + 1) * length));
  return plane;
}

function inflate(packed: Buffer, size: number): Buffer {
  try {
    const bytes = inflateSync(packed, { maxOutputLength: Math.max(size, 1) });
    if (bytes.length === size) return bytes;
  } catch (error) {
    throw new UnsupportedImage('compressed data is damaged', error);
  }
  throw new UnsupportedImage('compressed data is too short');
}

/**
 * Undoes the prediction: each sample is the difference to its left neighbour. In 32-bit rows, bytes of equal rank are
 * stored together.
 */
function undoDifferences(plane: Buffer, { width, height, depth }: PlaneSize): Buffer {
  const out = Buffer.alloc(plane.length);
  const length = plane.length / height;
  for (let y = 0; y < height; y++) {
    const start = y * length;
    if (depth === 16) {
      let value = 0;
      for (let i = start; i < start + length; i += 2) {
        value = (value + plane.readUInt16BE(i)) & 0xffff;
        out.writeUInt16BE(value, i);
      }
      continue;
    }
    let value = 0;
    for (let i = 0; i < length; i++) {
      value = (value + (plane[start + i] as number)) & 0xff;
      out[start + (depth === 32 ? (i % width) * 4 + Math.floor(i / width) : i)] = value;
    }
  }
  return out;
}

function toSamples(plane: Buffer, { width, height, depth }: PlaneSize): Samples {
  if (depth === 8) return plane;
  const count = width * height;
  if (depth === 16) return swapped(plane, count);
  if (depth === 32) {
    const samples = new Uint16Array(count);
    for (let i = 0; i < count; i++)
      samples[i] = Math.round(Math.min(1, Math.max(0, plane.readFloatBE(i * 4) || 0)) * 65_535);
    return samples;
  }
  const stride = Math.ceil(width / 8);
  const samples = new Uint8Array(count);
  for (let i = 0; i < count; i++) {
    const x = i % width;
    const byte = plane[Math.floor(i / width) * stride + (x >> 3)] as number;
    samples[i] = (byte >> (7 - (x & 7))) & 1 ? 0 : 255;
  }
  return samples;
}

function swapped(plane: Buffer, count: number): Uint16Array {
  const samples = new Uint16Array(count);
  for (let i = 0; i < count; i++) samples[i] = ((plane[i * 2] as number) << 8) | (plane[i * 2 + 1] as number);
  return samples;
}
