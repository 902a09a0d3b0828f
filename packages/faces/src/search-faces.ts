import { detectInViews, INPUT_SIDE, type View, wholeOf } from './blaze-face.ts';
import { type Detection, highestConfidence, isSameFace, mostConfidentOfEach } from './detections.ts';
import { type Cascades, searchByCascades } from './haar-faces.ts';
import type { Mat, Net, OpenCv } from './opencv.ts';

/** Detectors in use. */
export interface Engine {
  cv: OpenCv;
  net: Net;
  cascades: Cascades;
}

/** An image and the rotation that made it, as OpenCV names it. */
interface Orientation {
  turn?: number;
  image: Mat;
}

/** Minimum confidence of the network for a face. */
const FACE = 0.64;
/** Below this confidence of the network the cascades are not used. */
const HINT = 0.2;
/** Confidence at which a rotated image gets a pass of its own. */
const TURNED = 0.3;
/** An image with a face of this confidence is upright. */
const SURE = 0.8;
/**
 * The network's boxes reach from brow to chin and from ear to ear. Enlarged by this factor they contain the entire
 * face.
 */
const WHOLE_FACE = 1.2;
/** Share of the longer side in each half. They overlap, so that no face is cut by both. */
const HALF = 0.6;

/**
 * Detects the faces of a colour image in any orientation: three to five passes of the network and, if these find no
 * face, one search by the cascades.
 */
export function searchFaces(engine: Engine, upright: Mat): Detection[] {
  const { cv } = engine;
  const orientations: Orientation[] = [{ image: upright }];
  try {
    let found = { orientation: orientations[0] as Orientation, detections: detectIn(engine, wholeOf(upright)) };
    if (highestConfidence(found.detections) < SURE) {
      for (const turn of [cv.ROTATE_90_CLOCKWISE, cv.ROTATE_180, cv.ROTATE_90_COUNTERCLOCKWISE]) {
        orientations.push({ turn, image: turned(cv, upright, turn) });
      }
      found = detectRotated(engine, orientations, found.detections);
    }
    const { orientation, detections } = found;
    detections.push(...halvesOf(orientation.image).flatMap((half) => detectIn(engine, half)));
    const faces = mostConfidentOfEach(detections.filter(({ confidence }) => confidence >= FACE));
    if (faces.length > 0) return faces.map((face) => turnBack(cv, enlarged(face), orientation, upright));
    // The cascades know more profiles but have more false positives. Detections that the network does not see at all
    // are dropped.
    if (highestConfidence(detections) < HINT) return [];
    return searchByCascades(cv, engine.cascades, upright).filter((face) =>
      detections.some((hint) => isSameFace(face, hint)),
    );
  } finally {
    for (const { turn, image } of orientations) if (turn !== undefined) image.delete();
  }
}

/**
 * Looks at all four orientations in one pass, each in a quarter of the input. At that size it also detects faces that
 * fill the image. Another orientation is used only if a full-size pass is more confident than the upright one: hair and
 * cloth upside down may resemble a face, but not much.
 */
function detectRotated(
  engine: Engine,
  orientations: readonly Orientation[],
  detections: readonly Detection[],
): { orientation: Orientation; detections: Detection[] } {
  const side = INPUT_SIDE / 2;
  const positions = [0, 1, 2, 3].map((quarter) => ({
    left: (quarter % 2) * side,
    top: Math.floor(quarter / 2) * side,
  }));
  const views = orientations.map(({ image }, index) => ({
    ...wholeOf(image),
    at: positions[index] as View['at'],
    side,
  }));
  const quarters = detectInViews(engine.cv, engine.net, views);
  const confidences = quarters.map(highestConfidence);
  const likeliest = confidences.indexOf(Math.max(...confidences));
  const unrotated = {
    orientation: orientations[0] as Orientation,
    detections: [...detections, ...(quarters[0] ?? [])],
  };
  if (likeliest === 0 || (confidences[likeliest] as number) < TURNED) return unrotated;
  const orientation = orientations[likeliest] as Orientation;
  const other = {
    orientation,
    detections: [...detectIn(engine, wholeOf(orientation.image)), ...(quarters[likeliest] ?? [])],
  };
  return highestConfidence(other.detections) > Math.max(FACE, highestConfidence(unrotated.detections))
    ? other
    : unrotated;
}

function detectIn({ cv, net }: Engine, view: View): Detection[] {
  return detectInViews(cv, net, [view]).flat();
}

/** Splits the image into halves if it has more pixels than the input: smaller faces show in them. */
function halvesOf(image: Mat): View[] {
  if (Math.max(image.cols, image.rows) <= INPUT_SIDE) return [];
  const { area, ...view } = wholeOf(image);
  const isWide = image.cols >= image.rows;
  const width = isWide ? Math.min(image.cols, Math.max(image.rows, Math.ceil(image.cols * HALF))) : image.cols;
  const height = isWide ? image.rows : Math.min(image.rows, Math.max(image.cols, Math.ceil(image.rows * HALF)));
  const far = { left: image.cols - width, top: image.rows - height };
  return [area, { ...area, ...far }].map((corner) => ({ ...view, area: { ...corner, width, height } }));
}

function enlarged(detection: Detection): Detection {
  const more = detection.width * (WHOLE_FACE - 1);
  const higher = detection.height * (WHOLE_FACE - 1);
  return {
    ...detection,
    left: detection.left - more / 2,
    top: detection.top - higher / 2,
    width: detection.width + more,
    height: detection.height + higher,
  };
}

function turned(cv: OpenCv, upright: Mat, turn: number): Mat {
  const image = new cv.Mat();
  cv.rotate(upright, image, turn);
  return image;
}

/** Maps a detection from the rotated image to the upright one. */
function turnBack(cv: OpenCv, detection: Detection, { turn }: Orientation, { cols, rows }: Mat): Detection {
  const { left, top, width, height } = detection;
  if (turn === undefined) return detection;
  if (turn === cv.ROTATE_180) return { ...detection, left: cols - left - width, top: rows - top - height };
  return turn === cv.ROTATE_90_CLOCKWISE
    ? { ...detection, left: top, top: rows - left - width, width: height, height: width }
    : { ...detection, left: cols - top - height, top: left, width: height, height: width };
}
