import sharp from 'sharp';
import type { Pixel } from './studio.ts';

/** A frame and its display time. */
export interface Shot {
  /** In milliseconds. */
  from: number;
  to: number;
  width: number;
  height: number;
  /** RGBA. */
  pixels: Buffer;
}

/** Decodes the timeline of a file. A frame without a duration is shown for 100 ms, as in browsers. */
export async function play(file: string | Buffer): Promise<{ shots: Shot[]; loop: number | undefined }> {
  const { pages = 1, delay = [], loop } = await sharp(file).metadata();
  const { data, info } = await sharp(file, { animated: true })
    .ensureAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true });
  const bytes = data.length / pages;
  let from = 0;
  const shots = Array.from({ length: pages }, (_, index) => {
    const own = delay[index] ?? 0;
    const to = from + (own <= 10 ? 100 : own);
    const pixels = data.subarray(index * bytes, (index + 1) * bytes);
    const shot = { from, to, width: info.width, height: info.height / pages, pixels };
    from = to;
    return shot;
  });
  return { shots, loop };
}

/** Returns the frame displayed at a time, in ms. */
export function shotAt(shots: readonly Shot[], time: number): Shot {
  const shot = shots.find(({ from, to }) => from <= time && time < to);
  if (!shot) throw new Error(`nothing is shown at ${time} ms`);
  return shot;
}

/** Returns the mean absolute difference over all channels, 0 to 255; colours are weighted by opacity. */
export function difference(one: Buffer, other: Buffer): number {
  if (one.length !== other.length) return 255;
  let sum = 0;
  for (let at = 0; at < one.length; at += 4) {
    const a = one.readUInt8(at + 3);
    const b = other.readUInt8(at + 3);
    sum += Math.abs(a - b);
    for (let c = at; c < at + 3; c++) sum += Math.abs(one.readUInt8(c) * a - other.readUInt8(c) * b) / 255;
  }
  return sum / one.length;
}

/** Returns a square that moves over a gradient, which begins elsewhere in each frame. */
export function movingPixel(width: number, height: number, count: number) {
  return (index: number, x: number, y: number): Pixel => {
    const left = (index * width) / count;
    const isInside = x >= left && x < left + width / 4 && y >= height / 4 && y < height / 2;
    if (isInside) return [255, 60 * (index % 4), 0, 255];
    return [(x * 255) / width, ((y + 8 * index) * 200) / (height + 8 * count), 90, 255].map(
      Math.round,
    ) as unknown as Pixel;
  };
}

export type Painter = (index: number, x: number, y: number) => Pixel;

/** Returns the pixels of one frame. */
export function pixelsOf(width: number, height: number, index: number, paint: Painter): Buffer {
  const pixels = Buffer.alloc(width * height * 4);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) pixels.set(paint(index, x, y), (y * width + x) * 4);
  }
  return pixels;
}

/** Stacks all frames vertically, for an encoder of sharp. */
export function strip(width: number, height: number, count: number, paint: Painter) {
  const frames = Array.from({ length: count }, (_, index) => pixelsOf(width, height, index, paint));
  const raw = { width, height: height * count, channels: 4 as const, pageHeight: height };
  return sharp(Buffer.concat(frames), { raw });
}

export interface WebpFrame {
  /** Even. */
  left?: number;
  top?: number;
  width: number;
  height: number;
  /** RGBA. */
  pixels: Buffer;
  /** In milliseconds. */
  duration: number;
  /** Cleared before the next one. */
  isCleared?: boolean;
  /** Blended over the canvas, instead of replacing it. */
  isBlended?: boolean;
}

/** Writes an animated WebP without loss. Source: RFC 9649, 2.7. */
export async function writeWebp(
  width: number,
  height: number,
  frames: readonly WebpFrame[],
  { loop = 0, exif }: { loop?: number; exif?: Buffer } = {},
): Promise<Buffer> {
  const header = Buffer.alloc(10);
  header[0] = 0x12 | (exif ? 0x08 : 0);
  header.writeUIntLE(width - 1, 4, 3);
  header.writeUIntLE(height - 1, 7, 3);
  const animation = Buffer.alloc(6);
  animation.writeUInt16LE(loop, 4);
  const parts = [chunk('VP8X', header), chunk('ANIM', animation)];
  for (const frame of frames) parts.push(chunk('ANMF', await frameBody(frame)));
  if (exif) parts.push(chunk('EXIF', exif));
  const size = Buffer.alloc(4);
  size.writeUInt32LE(4 + parts.reduce((sum, part) => sum + part.length, 0));
  return Buffer.concat([Buffer.from('RIFF'), size, Buffer.from('WEBP'), ...parts]);
}

async function frameBody({ left = 0, top = 0, width, height, pixels, duration, isCleared, isBlended }: WebpFrame) {
  const head = Buffer.alloc(16);
  for (const [at, value] of [left / 2, top / 2, width - 1, height - 1, duration].entries()) {
    head.writeUIntLE(value, 3 * at, 3);
  }
  head[15] = (isBlended ? 0 : 2) | (isCleared ? 1 : 0);
  const raw = { width, height, channels: 4 as const };
  const still = await sharp(pixels, { raw }).webp({ lossless: true, exact: true }).toBuffer();
  return Buffer.concat([head, still.subarray(firstOf(still, ['ALPH', 'VP8 ', 'VP8L']))]);
}

function firstOf(webp: Buffer, names: readonly string[]): number {
  let at = 12;
  while (!names.includes(webp.toString('latin1', at, at + 4))) {
    const length = webp.readUInt32LE(at + 4);
    at += 8 + length + (length % 2);
  }
  return at;
}

function chunk(type: string, body: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32LE(body.length);
  return Buffer.concat([Buffer.from(type), length, body, Buffer.alloc(body.length % 2)]);
}
