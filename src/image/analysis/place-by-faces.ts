import { type Placement, placeAt, type Rectangle, type Size, type Turn, turnedSize } from '../layout/geometry.ts';

/** Margins around a face, in fractions of its size. The top is higher because of the hair. */
const MARGIN = { side: 0.15, top: 0.3, bottom: 0.15 };

/**
 * Places a window so that faces are in frame: all of them if they fit; otherwise the largest (centred if it is larger
 * than the window) and, by size, the others that still fit with it. Without a face the window is in the middle.
 * @param faces in fractions (0 to 1) of the image's width and height
 */
export function placeByFaces(faces: readonly Rectangle[]): Placement {
  return (image, window) => {
    const [largest, ...others] = bySize(faces, image);
    if (!largest) return placeAt(0.5, 0.5)(image, window);
    const area = others.reduce((box, face) => {
      const larger = unite(box, face);
      return larger.width <= window.width && larger.height <= window.height ? larger : box;
    }, largest);
    const { side, top, bottom } = marginsOf(largest);
    return {
      left: centreOn(area.left, area.width, side, side, image.width, window.width),
      top: centreOn(area.top, area.height, top, bottom, image.height, window.height),
    };
  };
}

/** Size of the box around all faces with their margins, in pixels; undefined without faces. */
function spaceOf(faces: readonly Rectangle[], image: Size): Size | undefined {
  const [largest, ...others] = bySize(faces, image);
  if (!largest) return undefined;
  const all = others.reduce(unite, largest);
  const { side, top, bottom } = marginsOf(largest);
  return { width: all.width + 2 * side, height: all.height + top + bottom };
}

/** In pixels, the largest first. */
function bySize(faces: readonly Rectangle[], image: Size): Rectangle[] {
  return faces.map((face) => toPixels(face, image)).sort((a, b) => b.width * b.height - a.width * a.height);
}

function marginsOf({ width, height }: Size) {
  return { side: width * MARGIN.side, top: height * MARGIN.top, bottom: height * MARGIN.bottom };
}

/** The faces whose middle lies in a part of their image, in fractions of that part. */
export function facesWithin(faces: readonly Rectangle[], area: Rectangle): Rectangle[] {
  const within = facesOutside(faces, area);
  const isIn = (middle: number) => middle >= 0 && middle <= 1;
  return within.filter(({ left, top, width, height }) => isIn(left + width / 2) && isIn(top + height / 2));
}

/** All faces in fractions of a part of their image; some lie beyond it. */
export function facesOutside(faces: readonly Rectangle[], area: Rectangle): Rectangle[] {
  return faces.map(({ left, top, width, height }) => ({
    left: (left - area.left) / area.width,
    top: (top - area.top) / area.height,
    width: width / area.width,
    height: height / area.height,
  }));
}

/** Returns the positions of faces in the turned image. Both are in fractions of their image. */
export function turnFaces(faces: readonly Rectangle[], image: Size, { isMirrored, degrees }: Turn): Rectangle[] {
  const turned = turnedSize(image, degrees);
  const radians = (degrees * Math.PI) / 180;
  const cosine = Math.cos(radians);
  const sine = Math.sin(radians);
  return faces.map((fractions) => {
    const left = isMirrored ? 1 - fractions.left - fractions.width : fractions.left;
    const face = toPixels({ ...fractions, left }, image);
    const x = face.left + face.width / 2 - image.width / 2;
    const y = face.top + face.height / 2 - image.height / 2;
    const width = face.width * Math.abs(cosine) + face.height * Math.abs(sine);
    const height = face.width * Math.abs(sine) + face.height * Math.abs(cosine);
    return {
      left: (x * cosine - y * sine + turned.width / 2 - width / 2) / turned.width,
      top: (x * sine + y * cosine + turned.height / 2 - height / 2) / turned.height,
      width: width / turned.width,
      height: height / turned.height,
    };
  });
}

/** One axis of a window: centred on a span with its margins, or without them where they do not fit. */
function centreOn(start: number, length: number, before: number, after: number, image: number, window: number) {
  const fits = length + before + after <= window;
  const centre = start + length / 2 + (fits ? (after - before) / 2 : 0);
  return Math.max(0, Math.min(centre - window / 2, image - window));
}

function toPixels(face: Rectangle, { width, height }: Size): Rectangle {
  return {
    left: face.left * width,
    top: face.top * height,
    width: face.width * width,
    height: face.height * height,
  };
}

function unite(a: Rectangle, b: Rectangle): Rectangle {
  const left = Math.min(a.left, b.left);
  const top = Math.min(a.top, b.top);
  return {
    left,
    top,
    width: Math.max(a.left + a.width, b.left + b.width) - left,
    height: Math.max(a.top + a.height, b.top + b.height) - top,
  };
}

const MAX_ZOOM = 10;

/**
 * Returns the factor by which a window can be smaller and still hold all faces with their margins; 1 without faces, or
 * where they do not fit.
 * @param faces in fractions of the image
 */
export function zoomToFaces(faces: readonly Rectangle[], image: Size, window: Size): number {
  const space = spaceOf(faces, image);
  if (!space) return 1;
  return Math.min(MAX_ZOOM, Math.max(1, Math.min(window.width / space.width, window.height / space.height)));
}
