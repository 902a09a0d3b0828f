import type { FocalPoint } from '../../focal-point.ts';
import type { Placement, Rectangle, Size, Turn } from '../layout/geometry.ts';
import type { InterestMap } from './map-interest.ts';
import { facesOutside, facesWithin, placeByFaces, turnFaces } from './place-by-faces.ts';
import { interestWithin, placeByInterest, turnInterest } from './place-by-interest.ts';

/** Focus of an upright image: its faces, or else its regions of interest. Plain data. */
export type Focus = { faces: Rectangle[] } | Interest;

interface Interest {
  interest: InterestMap;
  /** Face detection was unavailable, so there may be faces. */
  areFacesUnknown?: true;
}

/** Returns the focus of a part of an image as if the part were the whole. @param area in fractions of the image */
export function focusWithin(focus: Focus, area: Rectangle): Focus {
  return 'faces' in focus
    ? { faces: facesOutside(focus.faces, area) }
    : { ...focus, interest: interestWithin(focus.interest, area) };
}

/**
 * Returns the placement of a window by the focus.
 * @param turn what happens to the image before it is cropped
 * @param area the part of the turned image that there is, in fractions of it
 */
export function placeByFocus(focus: Focus, upright: Size, turn: Turn, area: Rectangle): Placement {
  if ('faces' in focus) return placeByFaces(facesWithin(turnFaces(focus.faces, upright, turn), area));
  return placeByInterest(turnInterest(focus.interest, turn), area);
}

/**
 * Puts the middle of a window on a point, as far as the edges allow.
 * @param turn what happens to the image before it is cropped
 * @param area the part of the turned image that there is, in fractions of it
 */
export function placeByPoint({ x, y }: FocalPoint, upright: Size, turn: Turn, area: Rectangle): Placement {
  const [point = { left: x, top: y }] = turnFaces([{ left: x, top: y, width: 0, height: 0 }], upright, turn);
  return (image, window) => ({
    left: ((point.left - area.left) / area.width) * image.width - window.width / 2,
    top: ((point.top - area.top) / area.height) * image.height - window.height / 2,
  });
}
