import type { Rectangle, Size } from '../layout/geometry.ts';
import { spaceOf } from './place-by-faces.ts';

const MAX_ZOOM = 10;

/**
 * How much smaller a window can be so that all faces still lie in it, with what stays free around them; 1 where there is none, or
 * where they do not fit.
 * @param faces in fractions of the picture
 */
export function zoomToFaces(faces: readonly Rectangle[], picture: Size, window: Size): number {
  const space = spaceOf(faces, picture);
  if (!space) return 1;
  return Math.min(MAX_ZOOM, Math.max(1, Math.min(window.width / space.width, window.height / space.height)));
}
