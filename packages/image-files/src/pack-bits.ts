import { UnsupportedImage } from './decoded-image.ts';

/**
 * Unpacks PackBits (TIFF 6.0, section 9) into a row, which must be filled; the rest is padding.
 * @throws UnsupportedImage
 */
export function unpackBits(packed: Buffer, row: Buffer): void {
  let to = 0;
  for (let from = 0; from < packed.length && to < row.length; ) {
    const head = packed[from++] as number;
    if (head === 128) continue;
    if (head < 128) {
      if (from + head + 1 > packed.length) break;
      const copied = Math.min(head + 1, row.length - to);
      packed.copy(row, to, from, from + copied);
      from += head + 1;
      to += copied;
    } else {
      if (from >= packed.length) break;
      const end = Math.min(to + 257 - head, row.length);
      row.fill(packed[from++] as number, to, end);
      to = end;
    }
  }
  if (to < row.length) throw new UnsupportedImage('a compressed row is too short');
}
