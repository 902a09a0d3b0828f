import type { AnalysisResults } from '../analysis/analysis.ts';
import { placeByFocus, placeByPoint } from '../analysis/focus.ts';
import { facesWithin, turnFaces, zoomToFaces } from '../analysis/place-by-faces.ts';
import { LimitExceeded } from '../failure.ts';
import { isDirection, placeByDirection } from '../steps/gravity.ts';
import type { ImageOptions } from '../steps/index.ts';
import {
  type GeometryRequest,
  type Layout,
  type Placement,
  planLayout,
  type Rectangle,
  type Region,
  type Size,
  shareOf,
  type Turn,
  turnBy,
  turnedSize,
} from './geometry.ts';
import { pixelsOf } from './lengths.ts';

/**
 * Returns the layout for options.
 * @throws LimitExceeded when nothing of the image would be left
 */
export function layoutOf(upright: Size, options: ImageOptions, analysis: AnalysisResults): Layout {
  const chosen = chosenPart(upright, options, analysis);
  const zoom = options.zoom === 'auto' ? zoomOf(upright, options, chosen, analysis) : options.zoom;
  const request = { ...geometryOf(options, chosen), ...(zoom && { zoom }) };
  return planLayout(upright, request, ...placementsOf(upright, options, chosen, analysis));
}

function geometryOf(options: ImageOptions, chosen: Rectangle): GeometryRequest {
  const { width, height, crop, aspectRatio, enlarge, padding } = options;
  const turn = turnOf(options);
  return {
    ...(width && { width }),
    ...(height && { height }),
    ...(aspectRatio && { aspectRatio: aspectRatio.width / aspectRatio.height }),
    ...(padding && { padding }),
    crop: crop ?? 'fill',
    angle: turn.degrees,
    isMirrored: turn.isMirrored,
    chosen,
    enlarges: enlarge ?? true,
  };
}

/** As close as the faces in the requested part allow. */
function zoomOf(upright: Size, options: ImageOptions, chosen: Rectangle, { faces }: AnalysisResults) {
  if (!faces || !('faces' in faces)) return 1;
  const turn = turnOf(options);
  const area = shareOf(chosen, turnedSize(upright, turn.degrees));
  const within = facesWithin(turnFaces(faces.faces, upright, turn), area);
  return (image: Size, window: Size) => zoomToFaces(within, image, window);
}

function turnOf({ angle }: ImageOptions): Turn {
  return angle ?? turnBy(0);
}

/** The requested part of the turned image. @throws LimitExceeded when it lies outside */
function chosenPart(upright: Size, options: ImageOptions, { edges }: AnalysisResults): Rectangle {
  const turn = turnOf(options);
  const whole = { left: 0, top: 0, ...turnedSize(upright, turn.degrees) };
  const within = edges ? turnPixels(edges, upright, turn) : whole;
  if (!options.region) return within;
  const part = cutRegion(options.region, within);
  if (part) return { ...part, left: within.left + part.left, top: within.top + part.top };
  throw new LimitExceeded(`The region is outside the image, which is ${within.width} x ${within.height}.`);
}

/** Returns the pixels of a region within an image; undefined when they do not meet. */
function cutRegion({ left, top, width, height }: Region, image: Size): Rectangle | undefined {
  const x = pixelsOf(left, image.width);
  const y = pixelsOf(top, image.height);
  const right = Math.min(image.width, x + pixelsOf(width, image.width));
  const bottom = Math.min(image.height, y + pixelsOf(height, image.height));
  return right > x && bottom > y ? { left: x, top: y, width: right - x, height: bottom - y } : undefined;
}

/** Returns the position of a part of the upright image after a turn by quarters, in pixels. */
function turnPixels(part: Rectangle, upright: Size, turn: Turn): Rectangle {
  const image = turnedSize(upright, turn.degrees);
  const { left, top, width, height } = turnFaces([shareOf(part, upright)], upright, turn)[0] as Rectangle;
  return {
    left: Math.round(left * image.width),
    top: Math.round(top * image.height),
    width: Math.round(width * image.width),
    height: Math.round(height * image.height),
  };
}

/** Returns the placements of the crop and of the image within its padding. A focus affects only the crop. */
function placementsOf(
  upright: Size,
  options: ImageOptions,
  chosen: Rectangle,
  { faces, interest }: AnalysisResults,
): [Placement, Placement] {
  const { gravity } = options;
  const turn = turnOf(options);
  const direction = placeByDirection(isDirection(gravity) ? gravity : 'center');
  const area = shareOf(chosen, turnedSize(upright, turn.degrees));
  if (typeof gravity === 'object') return [placeByPoint(gravity, upright, turn, area), direction];
  const focus = gravity === 'face' ? faces : gravity === 'auto' ? interest : undefined;
  return [focus ? placeByFocus(focus, upright, turn, area) : direction, direction];
}
