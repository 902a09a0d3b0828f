import type { OpenImage } from '../decode.ts';
import { type Encoded, type EncodeOrder, encodeImage } from '../encode/encode.ts';
import type { Size } from '../layout/geometry.ts';
import type { OpenLayer, RenderPlan } from '../step.ts';
import { type BecomesSrgb, type Chain, drawChains } from './chains.ts';

/** Renders an open file: one of its images, or all frames of an animation. */
export interface Rendition {
  /** Number of frames of the result. */
  count: number;
  /** When the chains have turned its pixels into sRGB of 8 bits. */
  becomesSrgb: BecomesSrgb;
  /**
   * @param result the size of a frame of the result.
   * @throws LimitExceeded when all of them would be too large together
   */
  check(result: Size): void;
  /** Megabytes of all frames beyond those of one. @param result the size of a frame of the result */
  megabytes(result: Size): number;
  /** The layer as every frame gets it. */
  over(layer: OpenLayer): OpenLayer;
  /** Decodes, draws and encodes into the output. */
  render(chains: readonly Chain[], plan: RenderPlan, order: EncodeOrder): Promise<Encoded>;
}

/** The one image that was opened. */
export const still = ({ image, becomesSrgb }: OpenImage): Rendition => ({
  count: 1,
  becomesSrgb,
  check: () => undefined,
  megabytes: () => 0,
  over: (layer) => layer,
  render: async (chains, { hasAlpha }, order) =>
    encodeImage(await drawChains(image.autoOrient(), chains, hasAlpha), order),
});
