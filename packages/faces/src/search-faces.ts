import { look, SIGHT, type View, wholeOf } from './blaze-face.ts';
import { certaintyOf, type Find, isSameFace, surestOfEach } from './face-finds.ts';
import { type Cascades, searchByCascades } from './haar-faces.ts';
import type { Mat, Net, OpenCv } from './opencv.ts';

/** What faces are looked for with. */
export interface Engine {
  cv: OpenCv;
  net: Net;
  cascades: Cascades;
}

/** A picture and how it was turned to get there, as OpenCV names it. */
interface Way {
  turn?: number;
  picture: Mat;
}

/** How certain a find of the network has to be to be a face. */
const FACE = 0.64;
/** Where nothing is so certain, the cascades are not asked. */
const HINT = 0.2;
/** Another way up gets a look of its own if it seems so certain at a glance. */
const TURNED = 0.3;
/** A picture with a face that is at least so certain is upright. */
const SURE = 0.8;
/** What the network finds reaches from brow to chin and from ear to ear. So many times larger is all of a face. */
const WHOLE_FACE = 1.2;
/** The share of the longer side that each of the two halves has. They overlap, so that no face is cut by both. */
const HALF = 0.6;

/**
 * Finds the faces of a colour picture, whichever way up it is: in three to five looks of the network and, where these find no face,
 * one search by the cascades.
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
    // The cascades know more profiles and take more things for faces. What the network has no idea of is none.
    if (certaintyOf(finds) < HINT) return [];
    return searchByCascades(cv, engine.cascades, upright).filter((face) =>
      finds.some((hint) => isSameFace(face, hint)),
    );
  } finally {
    for (const { turn, picture } of ways) if (turn !== undefined) picture.delete();
  }
}

/**
 * Looks at the picture all four ways up at once, each in a quarter of the sight. So small it also shows the faces that fill the
 * picture. Another way up only counts if a look in full size at it is surer than the upright one: hair and cloth upside down may look
 * like a face, but not much.
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

/** Smaller faces are seen in halves of the picture, if it has more pixels than the network sees at once. */
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

/** Where a find in the turned picture lies in the upright one. */
function turnBack(cv: OpenCv, find: Find, { turn }: Way, { cols, rows }: Mat): Find {
  const { left, top, width, height } = find;
  if (turn === undefined) return find;
  if (turn === cv.ROTATE_180) return { ...find, left: cols - left - width, top: rows - top - height };
  return turn === cv.ROTATE_90_CLOCKWISE
    ? { ...find, left: top, top: rows - left - width, width: height, height: width }
    : { ...find, left: cols - top - height, top: left, width: height, height: width };
}
