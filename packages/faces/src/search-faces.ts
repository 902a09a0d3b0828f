import { look, SIGHT, type View, wholeOf } from './blaze-face.ts';
import { certaintyOf, type Find, isSameFace, surestOfEach } from './face-finds.ts';
import { type Cascades, searchByCascades } from './haar-faces.ts';
import type { Mat, Net, OpenCv } from './opencv.ts';

/** Detectors in use. */
export interface Engine {
  cv: OpenCv;
  net: Net;
  cascades: Cascades;
}

/** An image and the rotation that made it, as OpenCV names it. */
interface Way {
  turn?: number;
  picture: Mat;
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
export function searchFaces(engine: Engine, upright: Mat): Find[] {
  const { cv } = engine;
  const ways: Way[] = [{ picture: upright }];
  try {
    let found = { way: ways[0] as Way, finds: lookAt(engine, wholeOf(upright)) };
    if (certaintyOf(found.finds) < SURE) {
      for (const turn of [cv.ROTATE_90_CLOCKWISE, cv.ROTATE_180, cv.ROTATE_90_COUNTERCLOCKWISE]) {
        ways.push({ turn, picture: turned(cv, upright, turn) });
      }
      found = glance(engine, ways, found.finds);
    }
    const { way, finds } = found;
    finds.push(...halvesOf(way.picture).flatMap((half) => lookAt(engine, half)));
    const faces = surestOfEach(finds.filter(({ certainty }) => certainty >= FACE));
    if (faces.length > 0) return faces.map((face) => turnBack(cv, enlarged(face), way, upright));
    // The cascades know more profiles but have more false positives. Detections that the network does not see at all
    // are dropped.
    if (certaintyOf(finds) < HINT) return [];
    return searchByCascades(cv, engine.cascades, upright).filter((face) =>
      finds.some((hint) => isSameFace(face, hint)),
    );
  } finally {
    for (const { turn, picture } of ways) if (turn !== undefined) picture.delete();
  }
}

/**
 * Looks at all four orientations in one pass, each in a quarter of the input. At that size it also detects faces that
 * fill the image. Another orientation is used only if a full-size pass is more confident than the upright one: hair and
 * cloth upside down may resemble a face, but not much.
 */
function glance(engine: Engine, ways: readonly Way[], finds: readonly Find[]): { way: Way; finds: Find[] } {
  const side = SIGHT / 2;
  const places = [0, 1, 2, 3].map((quarter) => ({ left: (quarter % 2) * side, top: Math.floor(quarter / 2) * side }));
  const views = ways.map(({ picture }, index) => ({ ...wholeOf(picture), at: places[index] as View['at'], side }));
  const glances = look(engine.cv, engine.net, views);
  const certainties = glances.map(certaintyOf);
  const likeliest = certainties.indexOf(Math.max(...certainties));
  const asItIs = { way: ways[0] as Way, finds: [...finds, ...(glances[0] ?? [])] };
  if (likeliest === 0 || (certainties[likeliest] as number) < TURNED) return asItIs;
  const way = ways[likeliest] as Way;
  const other = { way, finds: [...lookAt(engine, wholeOf(way.picture)), ...(glances[likeliest] ?? [])] };
  return certaintyOf(other.finds) > Math.max(FACE, certaintyOf(asItIs.finds)) ? other : asItIs;
}

function lookAt({ cv, net }: Engine, view: View): Find[] {
  return look(cv, net, [view]).flat();
}

/** Splits the image into halves if it has more pixels than the input: smaller faces show in them. */
function halvesOf(picture: Mat): View[] {
  if (Math.max(picture.cols, picture.rows) <= SIGHT) return [];
  const { area, ...view } = wholeOf(picture);
  const isWide = picture.cols >= picture.rows;
  const width = isWide ? Math.min(picture.cols, Math.max(picture.rows, Math.ceil(picture.cols * HALF))) : picture.cols;
  const height = isWide ? picture.rows : Math.min(picture.rows, Math.max(picture.cols, Math.ceil(picture.rows * HALF)));
  const far = { left: picture.cols - width, top: picture.rows - height };
  return [area, { ...area, ...far }].map((corner) => ({ ...view, area: { ...corner, width, height } }));
}

function enlarged(find: Find): Find {
  const more = find.width * (WHOLE_FACE - 1);
  const higher = find.height * (WHOLE_FACE - 1);
  return {
    ...find,
    left: find.left - more / 2,
    top: find.top - higher / 2,
    width: find.width + more,
    height: find.height + higher,
  };
}

function turned(cv: OpenCv, upright: Mat, turn: number): Mat {
  const picture = new cv.Mat();
  cv.rotate(upright, picture, turn);
  return picture;
}

/** Maps a detection from the rotated image to the upright one. */
function turnBack(cv: OpenCv, find: Find, { turn }: Way, { cols, rows }: Mat): Find {
  const { left, top, width, height } = find;
  if (turn === undefined) return find;
  if (turn === cv.ROTATE_180) return { ...find, left: cols - left - width, top: rows - top - height };
  return turn === cv.ROTATE_90_CLOCKWISE
    ? { ...find, left: top, top: rows - left - width, width: height, height: width }
    : { ...find, left: cols - top - height, top: left, width: height, height: width };
}
