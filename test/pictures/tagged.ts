import { crc32 } from 'node:zlib';
import sharp from 'sharp';
import type { Triple } from './colours.ts';
import { patches } from './patches.ts';

/** Patches of numbers from 0 to 1 as an exact AVIF. */
export interface AvifOrder {
  /** Code points of ITU-T H.273. */
  primaries: number;
  transfer: number;
  bits?: 8 | 10 | 12;
}

/** Creates a lossless AVIF whose numbers have the meaning of the code points. */
export async function taggedAvif(colours: readonly Triple[], { primaries, transfer, bits = 10 }: AvifOrder) {
  const deep = await rgbPng(colours, bits === 8 ? 8 : 16);
  const avif = { bitdepth: bits, lossless: true, chromaSubsampling: '4:4:4', effort: 0 } as const;
  const image = bits === 8 ? sharp(deep) : sharp(deep).toColourspace('rgb16');
  const file = await image.avif(avif).toBuffer();
  const at = file.indexOf('colrnclx') + 8;
  file.writeUInt16BE(primaries, at);
  file.writeUInt16BE(transfer, at + 2);
  return file;
}

/** Creates patches of numbers from 0 to 1 as a PNG with additional chunks before its pixels. */
export async function taggedPng(
  colours: readonly Triple[],
  chunks: Readonly<Record<string, Buffer>>,
  depth: 8 | 16 = 8,
): Promise<Buffer> {
  return withChunks(await rgbPng(colours, depth), chunks);
}

/** Inserts chunks after the header of a PNG. */
export function withChunks(png: Buffer, chunks: Readonly<Record<string, Buffer>>): Buffer {
  const added = Object.entries(chunks).map(([type, data]) => {
    const body = Buffer.concat([Buffer.from(type), data]);
    const chunk = Buffer.concat([Buffer.alloc(4), body, Buffer.alloc(4)]);
    chunk.writeUInt32BE(data.length);
    chunk.writeUInt32BE(crc32(body), chunk.length - 4);
    return chunk;
  });
  return Buffer.concat([png.subarray(0, 33), ...added, png.subarray(33)]);
}

/** Encodes numbers of a chunk or a box, 4 bytes each. */
export function words(...values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 4);
  values.forEach((value, index) => void bytes.writeUInt32BE(value, index * 4));
  return bytes;
}

async function rgbPng(colours: readonly Triple[], depth: 8 | 16): Promise<Buffer> {
  const { samples, width, height, channels } = patches(
    colours.map((colour) => colour.map((value) => Math.round(value * 255))),
  );
  if (depth === 8) return await sharp(samples, { raw: { width, height, channels } }).png().toBuffer();
  const exact = patches(colours.map((_, index) => [index >> 8, index & 255, 0])).samples;
  const deep = new Uint16Array(samples.length);
  for (let pixel = 0; pixel < deep.length; pixel += 3) {
    const colour = colours[((exact[pixel] ?? 0) << 8) | (exact[pixel + 1] ?? 0)] ?? [0, 0, 0];
    for (let channel = 0; channel < 3; channel++) deep[pixel + channel] = Math.round((colour[channel] ?? 0) * 65_535);
  }
  return await sharp(deep, { raw: { width, height, channels: 3 } })
    .toColourspace('rgb16')
    .png()
    .toBuffer();
}
