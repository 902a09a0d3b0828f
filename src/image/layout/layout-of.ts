import { LimitExceeded } from '../failure.ts';
import { type Focus, placeByFocus } from '../focus/focus.ts';
import { placeByPoint } from '../focus/place-by-point.ts';
import { isDirection, placeByDirection } from '../steps/gravity.ts';
import type { ImageOptions } from '../steps/index.ts';
import {
  cutRegion,
  type GeometryRequest,
  type Layout,
  type Placement,
  planLayout,
  type Rectangle,
  type Size,
  type Turn,
  turnBy,
  turnedSize,
} from './geometry.ts';

/**
 * The layout that options ask for.
 * @throws LimitExceeded when nothing of the picture would be left
 */
export function layoutOf(upright: Size, options: ImageOptions, focus: Focus | undefined): Layout {
  const chosen = chosenPart(upright, options);
  return planLayout(upright, geometryOf(options, chosen), ...placementsOf(upright, options, chosen, focus));
}

function geometryOf(options: ImageOptions, chosen: Rectangle): GeometryRequest {
  const { width, height, crop, aspectRatio, zoom, enlarge, padding } = options;
  return {
    ...(width && { width }),
    ...(height && { height }),
    ...(aspectRatio && { aspectRatio: aspectRatio.width / aspectRatio.height }),
    ...(zoom && { zoom }),
    ...(padding && { padding }),
    crop: crop ?? 'fill',
    angle: turnOf(options).degrees,
    chosen,
    enlarges: enlarge ?? true,
  };
}

function turnOf({ angle }: ImageOptions): Turn {
  return angle ?? turnBy(0);
}

/** The part of the turned picture that is wanted at all. @throws LimitExceeded when it lies outside */
function chosenPart(upright: Size, options: ImageOptions): Rectangle {
  const turned = turnedSize(upright, turnOf(options).degrees);
  if (!options.region) return { left: 0, top: 0, ...turned };
  const part = cutRegion(options.region, turned);
  if (part) return part;
  throw new LimitExceeded(`Nothing of the picture lies in the region; it is ${turned.width} x ${turned.height}.`);
}

/** Where a crop is taken from, and where padding leaves the picture. A focus decides only the former. */
function placementsOf(
  upright: Size,
  options: ImageOptions,
  chosen: Rectangle,
  focus: Focus | undefined,
): [Placement, Placement] {
  const { gravity } = options;
  const turn = turnOf(options);
  const direction = placeByDirection(isDirection(gravity) ? gravity : 'center');
  const area = shareOf(chosen, turnedSize(upright, turn.degrees));
  if (typeof gravity === 'object') return [placeByPoint(gravity, upright, turn, area), direction];
  return [focus ? placeByFocus(focus, upright, turn, area) : direction, direction];
}

/** A rectangle in fractions of its picture. */
function shareOf({ left, top, width, height }: Rectangle, picture: Size): Rectangle {
  return {
    left: left / picture.width,
    top: top / picture.height,
    width: width / picture.width,
    height: height / picture.height,
  };
}
