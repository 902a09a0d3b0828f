import type { Rectangle, Size } from '../layout/geometry.ts';
import { spaceOf } from './place-by-faces.ts';

const MAX_ZOOM = 10;

/**
 * Returns the factor by which a window can be smaller and still hold all faces with their margins; 1 without faces, or
 * where they do not fit.
 * @param faces in fractions of the image
 */
export function zoomToFaces(faces: readonly Rectangle[], picture: Size, window: Size): number {
  const space = spaceOf(faces, picture);
  if (!space) return 1;
  return Math.min(MAX_ZOOM, Math.max(1, Math.min(window.width / space.width, window.height / space.height)));
}
