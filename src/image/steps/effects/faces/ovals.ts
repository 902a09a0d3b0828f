import type { Focus } from '../../../focus/focus.ts';
import { turnFaces } from '../../../focus/place-by-faces.ts';
import type { Layout } from '../../../layout/geometry.ts';

/** Ratio of an oval to the face in it. */
const MARGIN = 1.3;

/** The oval around a face, in pixels of the content. */
export interface Oval {
  x: number;
  y: number;
  /** Half of its width, and of its height. */
  across: number;
  down: number;
}

/** Where faces of the upright image lie in what is kept of it. Some may lie beyond its edges. */
export function ovalsOf(focus: Focus | undefined, layout: Layout): Oval[] {
  if (!focus || !('faces' in focus)) return [];
  const { upright, turned, kept, content, angle: degrees, isMirrored } = layout;
  const scaleX = content.width / kept.width;
  const scaleY = content.height / kept.height;
  return turnFaces(focus.faces, upright, { isMirrored, degrees }).map(({ left, top, width, height }) => ({
    x: ((left + width / 2) * turned.width - kept.left) * scaleX,
    y: ((top + height / 2) * turned.height - kept.top) * scaleY,
    across: (width / 2) * turned.width * scaleX * MARGIN,
    down: (height / 2) * turned.height * scaleY * MARGIN,
  }));
}
