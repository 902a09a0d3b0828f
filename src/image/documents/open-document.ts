import type { Size } from '../layout/geometry.ts';

/** A drawing or a page, which has no pixels before it is drawn at a size. */
export interface OpenDocument {
  /** The size that it has of itself. */
  natural: Size;
  /** Number of pages. */
  count: number;
  /**
   * Pixels of a drawing for each of its natural size, from which on its thin lines are right. Smaller results are made
   * by shrinking.
   */
  leastScale?: number;
  /** Draws it: rows of interleaved sRGB samples of 8 bits. The size may differ by a pixel from the requested one. */
  draw(size: Size): Promise<DrawnPixels>;
}

export type DrawnPixels = { data: Uint8Array } & Size & { channels: 3 | 4 };
