import type { Size } from '../layout/geometry.ts';

/** A drawing or a page, which has no pixels before it is drawn at a size. */
export interface OpenDocument {
  /** The size that it has of itself. */
  natural: Size;
  /** How many pages the file has. */
  count: number;
  /** Draws it: rows of interleaved sRGB samples of 8 bits. The size may differ by a pixel from the one that is asked for. */
  draw(size: Size): Promise<{ data: Uint8Array } & Size & { channels: 3 | 4 }>;
}
