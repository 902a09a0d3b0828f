import type { FocalPoint } from '../../focal-point.ts';
import type { Placement, Rectangle, Size, Turn } from '../layout/geometry.ts';
import { turnFaces } from './place-by-faces.ts';

/**
 * Puts the middle of a window on a point, as far as the edges allow.
 * @param turn what happens to the image before it is cropped
 * @param area the part of the turned image that there is, in fractions of it
 */
export function placeByPoint({ x, y }: FocalPoint, upright: Size, turn: Turn, area: Rectangle): Placement {
  const [point = { left: x, top: y }] = turnFaces([{ left: x, top: y, width: 0, height: 0 }], upright, turn);
  return (picture, window) => ({
    left: ((point.left - area.left) / area.width) * picture.width - window.width / 2,
    top: ((point.top - area.top) / area.height) * picture.height - window.height / 2,
  });
}
