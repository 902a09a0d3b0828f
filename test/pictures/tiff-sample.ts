/** One image of a TIFF file, uncompressed. */
export interface TiffPage {
  width: number;
  height: number;
  /** Interleaved; 16-bit samples in little-endian order. */
  samples: Uint8Array;
  /** Samples for each pixel, alpha included. */
  channels: number;
  bits?: 8 | 16 | 32;
  /** True for floating-point samples; for a single channel. */
  isFloat?: boolean;
  /** TIFF 6.0, PhotometricInterpretation: 1 black is zero, 2 RGB, 5 CMYK. */
  photometric: 1 | 2 | 5;
  /** True if the last sample is unassociated alpha. */
  hasAlpha?: boolean;
  /** As in EXIF. */
  orientation?: number;
}

const SHORT = 3;
const LONG = 4;

/** Writes a TIFF file of some pages (TIFF 6.0, section 2) by hand, so that every tag is known. */
export function tiffOf(...pages: readonly TiffPage[]): Buffer {
  const header = Buffer.from('II*\0\0\0\0\0', 'latin1');
  const parts: Buffer[] = [header];
  let at = header.length;
  /** Position for the offset of the next directory. */
  let link: { part: Buffer; offset: number } = { part: header, offset: 4 };
  for (const page of pages) {
    const { samples, channels, bits = 8 } = page;
    const data = Buffer.from(samples);
    const depths = Buffer.alloc(channels * 2);
    for (let channel = 0; channel < channels; channel++) depths.writeUInt16LE(bits, channel * 2);
    const pad = Buffer.alloc((data.length + depths.length) % 2);
    const directory = directoryOf(page, at, at + data.length);
    link.part.writeUInt32LE(at + data.length + depths.length + pad.length, link.offset);
    link = { part: directory, offset: directory.length - 4 };
    parts.push(data, depths, pad, directory);
    at += data.length + depths.length + pad.length + directory.length;
  }
  return Buffer.concat(parts);
}

function directoryOf(page: TiffPage, data: number, depths: number): Buffer {
  const { width, height, samples, channels, bits = 8, photometric, hasAlpha, isFloat, orientation = 1 } = page;
  const tags: [tag: number, type: number, count: number, value: number][] = [
    [256, LONG, 1, width],
    [257, LONG, 1, height],
    // Up to two of them are stored in the directory itself.
    channels > 2 ? [258, SHORT, channels, depths] : [258, SHORT, channels, channels === 1 ? bits : bits | (bits << 16)],
    [259, SHORT, 1, 1],
    [262, SHORT, 1, photometric],
    [273, LONG, 1, data],
    [274, SHORT, 1, orientation],
    [277, SHORT, 1, channels],
    [278, LONG, 1, height],
    [279, LONG, 1, samples.length],
    ...(hasAlpha ? [[338, SHORT, 1, 2] as [number, number, number, number]] : []),
    ...(isFloat ? [[339, SHORT, 1, 3] as [number, number, number, number]] : []),
  ];
  const directory = Buffer.alloc(2 + tags.length * 12 + 4);
  directory.writeUInt16LE(tags.length, 0);
  for (const [index, [tag, type, count, value]] of tags.entries()) {
    const entry = 2 + index * 12;
    directory.writeUInt16LE(tag, entry);
    directory.writeUInt16LE(type, entry + 2);
    directory.writeUInt32LE(count, entry + 4);
    directory.writeUInt32LE(value, entry + 8);
  }
  return directory;
}

/** Returns a page of a single colour. */
export function plainPage(
  width: number,
  height: number,
  colour: readonly number[],
  more: Partial<TiffPage> = {},
): TiffPage {
  const samples = Buffer.alloc(width * height * colour.length, Buffer.from(colour));
  return { width, height, samples, channels: colour.length, photometric: 2, ...more };
}
