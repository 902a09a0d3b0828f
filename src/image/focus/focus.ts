import type { Placement, Rectangle, Size } from '../geometry.ts';
import type { InterestMap } from './map-interest.ts';
import { placeByFaces, turnFaces } from './place-by-faces.ts';
import { placeByInterest, turnInterest } from './place-by-interest.ts';

/** Where the eye goes in an upright picture: to its faces, or else to where there is most to see. Plain data. */
export type Focus = { faces: Rectangle[] } | { interest: InterestMap };

export type FocusGravity = 'face' | 'auto';

/** Where a window goes in a picture that is turned by an angle before it is cropped. */
export function placeByFocus(focus: Focus, upright: Size, angle: number): Placement {
  if ('faces' in focus) return placeByFaces(turnFaces(focus.faces, upright, angle));
  return placeByInterest(turnInterest(focus.interest, angle));
}
