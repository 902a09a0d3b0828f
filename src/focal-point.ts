/** Most important point of an image: fractions of the width and height of the upright image, from its top left. */
export interface FocalPoint {
  x: number;
  y: number;
}

/** Rounds a point for storage and output, to less than a pixel of the largest image. */
export function roundPoint({ x, y }: FocalPoint): FocalPoint {
  return { x: Math.round(x * 10_000) / 10_000, y: Math.round(y * 10_000) / 10_000 };
}

export function isSamePoint(a: FocalPoint | undefined, b: FocalPoint | undefined): boolean {
  return a?.x === b?.x && a?.y === b?.y;
}
