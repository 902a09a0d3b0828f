import { halves, orientationExif, words } from './png.ts';

/** Inserts segments after the first marker of a JPEG. Source: ITU-T T.81, annex B. */
export function withSegments(jpeg: Buffer, ...segments: readonly Buffer[]): Buffer {
  return Buffer.concat([jpeg.subarray(0, 2), ...segments, jpeg.subarray(2)]);
}

export function segment(marker: number, data: Buffer): Buffer {
  return Buffer.concat([Buffer.from([0xff, marker]), halves(data.length + 2), data]);
}

/** Returns EXIF data with an orientation. */
export function exifSegment(orientation: number): Buffer {
  return segment(0xe1, Buffer.concat([Buffer.from('Exif\0\0', 'latin1'), orientationExif(orientation)]));
}

/** Appends a second image, and the index that names both. Source: CIPA DC-007, 5.2. */
export function multiPicture(first: Buffer, second: Buffer): Buffer {
  const entry = (attribute: number, size: number, offset: number) =>
    Buffer.concat([words(attribute, size, offset), halves(0, 0)]);
  const version = Buffer.concat([halves(0xb000, 7), words(4), Buffer.from('0100')]);
  const count = Buffer.concat([halves(0xb001, 4), words(1, 2)]);
  const index = (size: number, offset: number) => {
    const directory = [version, count, Buffer.concat([halves(0xb002, 7), words(32, 50)])];
    const entries = [entry(0x20030000, size, 0), entry(0, second.length, offset)];
    return segment(
      0xe2,
      Buffer.concat([Buffer.from('MPF\0MM\0*', 'latin1'), words(8), halves(3), ...directory, words(0), ...entries]),
    );
  };
  const size = first.length + index(0, 0).length;
  // Offsets count from the byte order mark of the index.
  return Buffer.concat([withSegments(first, index(size, size - 10)), second]);
}
