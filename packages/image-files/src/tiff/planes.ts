import type { ReadBytes } from '../boxes.ts';
import type { Samples } from '../samples.ts';
import { UndecodableImage } from '../undecodable-image.ts';
import { unpackChunk } from './chunks.ts';
import { type TiffDirectory, valuesOf } from './directory.ts';
import type { TiffLayout } from './layout.ts';

/** Of a chunk that its coding did not shrink. */
const SPARE_BYTES = 1024;

/** A chunk of a page: a tile, or a strip. */
interface Chunk {
  left: number;
  top: number;
  /** Of its samples, before cropping. */
  width: number;
  height: number;
  /** Its first channel, and their number. */
  channel: number;
  channels: number;
}

/**
 * Reads the samples of a page by channel, as numbers from 0 to 2 to the power of its bits.
 * @param count of the chunks of the page
 * @throws UndecodableImage
 */
export async function readPlanes(
  read: ReadBytes,
  directory: TiffDirectory,
  layout: TiffLayout,
  count: number,
): Promise<Samples[]> {
  const { width, height, bits, channels, compression, isTiled, isReversed } = layout;
  const offsets = await valuesOf(read, directory, isTiled ? 'tileOffsets' : 'stripOffsets', count);
  const sizes = await valuesOf(read, directory, isTiled ? 'tileBytes' : 'stripBytes', count);
  const planes = Array.from({ length: channels }, () =>
    bits > 8 ? new Uint16Array(width * height) : new Uint8Array(width * height),
  );
  let index = 0;
  for (const chunk of chunksOf(layout)) {
    const rowBytes = Math.ceil((chunk.width * chunk.channels * bits) / 8);
    const length = rowBytes * chunk.height;
    const offset = offsets[index];
    const size = sizes[index] ?? length;
    if (!offset) throw new UndecodableImage('The TIFF does not say where its pixels are.');
    const packed = await read(offset, Math.min(size, 2 * length + SPARE_BYTES));
    const rows = unpackChunk(isReversed ? reversed(packed) : packed, compression, length);
    place(rows, chunk, layout, planes);
    index++;
  }
  return planes;
}

/** Yields the chunks of a page in file order. */
function* chunksOf({ width, height, channels, chunk, isPlanar, isTiled }: TiffLayout): Generator<Chunk> {
  for (let channel = 0; channel < (isPlanar ? channels : 1); channel++) {
    for (let top = 0; top < height; top += chunk.height) {
      for (let left = 0; left < width; left += chunk.width) {
        yield {
          left,
          top,
          width: chunk.width,
          // The last strip only has the remaining rows.
          height: isTiled ? chunk.height : Math.min(chunk.height, height - top),
          channel,
          channels: isPlanar ? 1 : channels,
        };
      }
    }
  }
}

/** Copies the samples of a chunk to their positions in the planes. */
function place(rows: Buffer, chunk: Chunk, layout: TiffLayout, planes: readonly Samples[]): void {
  const rowBytes = rows.length / chunk.height;
  const count = chunk.width * chunk.channels;
  const values = new Uint16Array(count);
  const columns = Math.min(chunk.width, layout.width - chunk.left);
  for (let y = 0; y < Math.min(chunk.height, layout.height - chunk.top); y++) {
    unpackRow(rows.subarray(y * rowBytes, (y + 1) * rowBytes), layout, values);
    if (layout.predictor === 2) undoDifferences(values, chunk.channels, layout.bits);
    const to = (chunk.top + y) * layout.width + chunk.left;
    for (let channel = 0; channel < chunk.channels; channel++) {
      const plane = planes[chunk.channel + channel] as Samples;
      for (let x = 0; x < columns; x++) plane[to + x] = values[x * chunk.channels + channel] as number;
    }
  }
}

/** Whole bytes have the byte order of the file; other samples follow each other from the highest bit to the lowest. */
function unpackRow(row: Buffer, { bits, isLittle }: TiffLayout, values: Uint16Array): void {
  if (bits === 16) {
    const [low, high] = isLittle ? [0, 1] : [1, 0];
    for (let i = 0; i < values.length; i++) {
      values[i] = (row[2 * i + low] as number) | ((row[2 * i + high] as number) << 8);
    }
    return;
  }
  let held = 0;
  let count = 0;
  let at = 0;
  for (let i = 0; i < values.length; i++) {
    while (count < bits) {
      held = ((held << 8) | (row[at++] as number)) & 0xff_ffff;
      count += 8;
    }
    count -= bits;
    values[i] = (held >> count) & (2 ** bits - 1);
  }
}

/** Each sample is the difference to that of the pixel on its left. */
function undoDifferences(values: Uint16Array, channels: number, bits: number): void {
  const most = 2 ** bits - 1;
  for (let i = channels; i < values.length; i++) {
    values[i] = ((values[i] as number) + (values[i - channels] as number)) & most;
  }
}

/** Reverses the bits of bytes. */
function reversed(bytes: Buffer): Buffer {
  return Buffer.from(bytes.map((byte) => REVERSED[byte] as number));
}

const REVERSED = Uint8Array.from({ length: 256 }, (_, byte) => {
  let result = 0;
  for (let bit = 0; bit < 8; bit++) if (byte & (1 << bit)) result |= 128 >> bit;
  return result;
});
