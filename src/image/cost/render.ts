import type { Layout, Size } from '../layout/geometry.ts';
import type { OpenLayer } from '../step.ts';
import type { ImageOptions } from '../steps/index.ts';
import { decodeFramesMs } from './decode.ts';
import { drawMs } from './draw.ts';
import { type EncodeCost, encodeFramesMs, encodeMs } from './encode.ts';

/**
 * CPU time, in ms, up to which a task is light: small images of other clients may wait behind it, so that it has to end
 * soon.
 */
export const LIGHT_MS = 1500;

/** For every task. */
const TASK_MS = 6;
/** For each frame that is drawn by itself. */
const FRAME_MS = 3;

export interface RenderCost extends EncodeCost {
  /** CPU time to decode the original, in ms. */
  decodeMs: number;
  /** Of the original, as sharp names it. */
  source: string | undefined;
  upright: Size;
  /** Frames of an animation that moves; else 1. */
  frames: number;
  options: ImageOptions;
  layout: Layout;
  layers: readonly Pick<OpenLayer, 'drawMs' | 'paintMs'>[];
}

/**
 * Estimates the CPU time of a render in ms, before its first pixel: of decoding, drawing, layers and encoding. It
 * decides whether the render is heavy. test/cost has the tolerance.
 */
export function renderMs(cost: RenderCost): number {
  const { frames, options, layout, layers } = cost;
  const layersMs = layers.reduce((sum, layer) => sum + layer.drawMs + frames * layer.paintMs, 0);
  const eachMs = drawMs(options, layout);
  if (frames === 1) return TASK_MS + cost.decodeMs + eachMs + layersMs + encodeMs(layout.output, cost);
  const decodingMs = decodeFramesMs(cost.source, frames, cost.upright);
  return TASK_MS + decodingMs + frames * (FRAME_MS + eachMs) + layersMs + encodeFramesMs(frames, layout.output, cost);
}
