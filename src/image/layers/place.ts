import type { Length, Point, Size } from '../layout/geometry.ts';
import { pixelsOf } from '../layout/lengths.ts';
import { type Direction, placeByDirection } from '../steps/gravity.ts';

/** Where a layer lies. */
export interface LayerPlace {
  /** The edge or corner that it lies at. */
  gravity?: Direction;
  /** Inwards from that edge; from the middle to the right and down. Shares are those of the canvas. */
  x?: Length;
  y?: Length;
}

/** The top left corner of a layer on its canvas, in whole pixels; it may lie outside. */
export function placeLayer(canvas: Size, layer: Size, { gravity = 'center', x, y }: LayerPlace): Point {
  const { left, top } = placeByDirection(gravity)(canvas, layer);
  const right = x ? pixelsOf(x, canvas.width) : 0;
  const down = y ? pixelsOf(y, canvas.height) : 0;
  return {
    left: Math.round(left) + (gravity.endsWith('east') ? -right : right),
    top: Math.round(top) + (gravity.startsWith('south') ? -down : down),
  };
}
