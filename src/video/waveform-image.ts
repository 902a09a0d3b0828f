import { deflateSync } from 'node:zlib';
import { pngChunk } from '@darkroom/image-files/png';
import type { Colour } from '../transformation/syntax.ts';
import type { Size } from './geometry.ts';

interface WaveformStyle extends Size {
  colour: Colour;
  background: Colour;
}

const SIGNATURE = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');
/** One bit per pixel, with a palette. */
const DEPTH = 1;
const INDEXED = 3;

/**
 * Draws a waveform: in each column a line from the lowest to the highest sample, with silence in the middle. Every line
 * has at least one pixel.
 * @param peaks one per column, from -1 to 1
 * @returns a PNG with a palette of the two colours (PNG 3rd edition)
 */
export function drawWaveform(
  peaks: readonly { low: number; high: number }[],
  { width, height, colour, background }: WaveformStyle,
): Buffer {
  const stride = 1 + Math.ceil(width / 8);
  const rows = Buffer.alloc(stride * height);
  for (const [x, { low, high }] of peaks.entries()) {
    const top = Math.min(height - 1, rowOf(high, height));
    const end = Math.max(top + 1, rowOf(low, height));
    for (let y = top; y < end; y++) {
      const at = y * stride + 1 + (x >> 3);
      rows[at] = (rows[at] as number) | (0x80 >> (x & 7));
    }
  }
  const palette = [background, colour];
  return Buffer.concat([
    SIGNATURE,
    pngChunk('IHDR', header(width, height)),
    pngChunk('PLTE', Buffer.from(palette.flatMap(({ red, green, blue }) => [red, green, blue]))),
    pngChunk('tRNS', Buffer.from(palette.map(({ alpha }) => alpha))),
    pngChunk('IDAT', deflateSync(rows)),
    pngChunk('IEND', Buffer.alloc(0)),
  ]);
}

function rowOf(value: number, height: number): number {
  return Math.round(((1 - value) / 2) * height);
}

function header(width: number, height: number): Buffer {
  const bytes = Buffer.alloc(13);
  bytes.writeUInt32BE(width, 0);
  bytes.writeUInt32BE(height, 4);
  bytes.set([DEPTH, INDEXED], 8);
  return bytes;
}
