import type { FocalPoint } from '../../focal-point.ts';
import type { Placement, Size } from '../geometry.ts';
import { turnFaces } from './place-by-faces.ts';

/** Puts the middle of a window on a point, as far as the edges allow, in a picture that is turned by an angle before it is cropped. */
export function placeByPoint({ x, y }: FocalPoint, upright: Size, angle: number): Placement {
  const [point = { left: x, top: y }] = turnFaces([{ left: x, top: y, width: 0, height: 0 }], upright, angle);
  return (picture, window) => ({
    left: point.left * picture.width - window.width / 2,
    top: point.top * picture.height - window.height / 2,
  });
}
