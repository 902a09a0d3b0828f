import type { Layout } from './geometry.ts';

/**
 * Where a pixel of the content comes from: `x = across[0] * column + across[1] * row + across[2]`, and `y` by `down`.
 */
export interface Origin {
  across: readonly [number, number, number];
  down: readonly [number, number, number];
}

/**
 * Where the middle of each pixel of the content lies in the upright image, in its pixels: what the crop and the turn
 * have done is undone.
 */
export function originOf({ upright, turned, kept, content, isMirrored, angle }: Layout): Origin {
  const radians = (angle * Math.PI) / 180;
  const cosine = Math.cos(radians);
  const sine = Math.sin(radians);
  const scale = { x: kept.width / content.width, y: kept.height / content.height };
  // From the middle of the turned image to the middle of the first pixel.
  const x = kept.left + scale.x / 2 - turned.width / 2;
  const y = kept.top + scale.y / 2 - turned.height / 2;
  const side = isMirrored ? -1 : 1;
  return {
    across: [side * cosine * scale.x, side * sine * scale.y, side * (cosine * x + sine * y) + upright.width / 2],
    down: [-sine * scale.x, cosine * scale.y, cosine * y - sine * x + upright.height / 2],
  };
}
