/** What matters most in a picture: fractions of the width and height of the upright picture, from its top left. */
export interface FocalPoint {
  x: number;
  y: number;
}

/** The point as it is stored and said: finer steps than a pixel of the largest picture are the same point. */
export function roundPoint({ x, y }: FocalPoint): FocalPoint {
  return { x: Math.round(x * 10_000) / 10_000, y: Math.round(y * 10_000) / 10_000 };
}

export function isSamePoint(one: FocalPoint | undefined, other: FocalPoint | undefined): boolean {
  return one?.x === other?.x && one?.y === other?.y;
}
