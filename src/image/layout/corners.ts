import type { Size } from './geometry.ts';

/** Pixels: top left, top right, bottom right, bottom left; or `max`, a circle or an oval. */
export type Radius = 'max' | readonly [number, number, number, number];

/** A corner that is rounded. */
export interface Corner {
  /** Half-axes of the ellipse that stays, in pixels. */
  radiusX: number;
  radiusY: number;
  isRight: boolean;
  isBottom: boolean;
}

/** The corners that are rounded at all. */
export function cornersOf(radius: Radius, { width, height }: Size): Corner[] {
  const half = Math.min(width, height) / 2;
  const sizes =
    radius === 'max'
      ? Array.from({ length: 4 }, () => ({ radiusX: width / 2, radiusY: height / 2 }))
      : radius.map((side) => ({ radiusX: Math.min(side, half), radiusY: Math.min(side, half) }));
  return sizes
    .map((size, index) => ({ ...size, isRight: index === 1 || index === 2, isBottom: index >= 2 }))
    .filter(({ radiusX, radiusY }) => radiusX > 0 && radiusY > 0);
}

/** Returns the share of a pixel that lies outside the ellipse, 0 to 1, by its distance from the corner. */
export function shareOutside({ radiusX, radiusY }: Corner, x: number, y: number): number {
  const dx = Math.max(0, radiusX - x);
  const dy = Math.max(0, radiusY - y);
  const level = Math.hypot(dx / radiusX, dy / radiusY);
  if (level === 0) return 0;
  const slope = Math.hypot(dx / radiusX ** 2, dy / radiusY ** 2) / level;
  return Math.min(1, Math.max(0, (level - 1) / slope + 0.5));
}
