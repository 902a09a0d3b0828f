import type { Sharp } from 'sharp';
import type { Rectangle } from '../layout/geometry.ts';
import { type Cascade, loadCascade, loadOpenCv, type Mat, type OpenCv } from './opencv.ts';

/** One byte per pixel, row by row, from black to white. */
export interface GreyPicture {
  data: Uint8Array;
  width: number;
  height: number;
}

/** The longer side, in pixels, at which faces are looked for; `docs/face-detection.md` has the measurements. */
const DETECTION_SIDE = 480;
/** Each search is for faces this much larger than the one before. */
const SCALE_FACTOR = 1.1;
/** How many more overlapping finds than this make a face. */
const MIN_NEIGHBOURS = { frontal: 4, profile: 6, turned: 11 };
/** With this many the picture counts as upright. */
const SURE = 12;
/** With so many faces from the front nobody is looked for in profile. */
const CROWD = 8;
/** Two finds that share this much of the smaller one are one face. */
const SAME_FACE = 0.3;

export type FaceDetector = ReturnType<typeof createFaceDetector>;

/**
 * Creates a detector that loads OpenCV and its cascades when it is first used. It lives as long as the process: OpenCV never gives
 * memory back.
 * @param folder where the cascades are
 */
export function createFaceDetector(folder = new URL('./cascades/', import.meta.url)) {
  let engine: Promise<Engine> | undefined;
  let failure: string | undefined;

  const started = () => {
    engine ??= startEngine(folder);
    return engine;
  };
  const failed = (error: unknown) => {
    // OpenCV throws bare numbers. After the first failure its memory cannot be trusted.
    failure ??= `Face detection is not available: ${error instanceof Error ? error.message : `OpenCV error ${error}`}`;
    return failure;
  };

  return {
    /**
     * The faces of a picture, in its pixels, the surest first. Never rejects: when detection is not available or breaks, it finds no
     * faces.
     */
    async detect(picture: GreyPicture): Promise<Rectangle[]> {
      if (failure) return [];
      try {
        return detectAnyWayUp(await started(), picture);
      } catch (error) {
        failed(error);
        return [];
      }
    },
    /** Loads the detector if that has not happened yet, and tells whether it works. */
    async status(): Promise<{ available: true } | { available: false; reason: string }> {
      await started().catch(failed);
      return failure ? { available: false, reason: failure } : { available: true };
    },
  };
}

/**
 * Finds the faces of a picture as displayed.
 * @returns fractions (0 to 1) of the upright picture's width and height, the surest face first; may be kept as JSON
 * @throws the error of sharp when the picture cannot be decoded
 */
export async function detectFaces(image: Sharp, detector: FaceDetector): Promise<Rectangle[]> {
  const { data, info } = await image
    .clone()
    .autoOrient()
    .flatten({ background: 'white' })
    .resize(DETECTION_SIDE, DETECTION_SIDE, { fit: 'inside', withoutEnlargement: true })
    .greyscale()
    .toColourspace('b-w')
    .raw({ depth: 'uchar' })
    .toBuffer({ resolveWithObject: true });
  const { width, height } = info;
  const faces = await detector.detect({ data, width, height });
  return faces.map((face) => ({
    left: face.left / width,
    top: face.top / height,
    width: face.width / width,
    height: face.height / height,
  }));
}

interface Engine {
  cv: OpenCv;
  frontal: Cascade;
  profile: Cascade;
}

type Find = Rectangle & { neighbours: number };

async function startEngine(folder: URL): Promise<Engine> {
  const { cv } = await loadOpenCv();
  const frontal = await loadCascade(cv, new URL('haarcascade_frontalface_alt.xml.gz', folder));
  const profile = await loadCascade(cv, new URL('haarcascade_profileface.xml.gz', folder));
  return { cv, frontal, profile };
}

/**
 * Also looks for faces from the front in the picture on its sides and upside down when it has no sure face upright. Only a surer find
 * counts: hair and cloth upside down may look like a face, but not much. The profile cascade runs for the way up that wins alone, so
 * that no picture takes more than eight searches.
 */
function detectAnyWayUp(engine: Engine, { data, width, height }: GreyPicture): Rectangle[] {
  const { cv, frontal } = engine;
  const upright = cv.matFromArray(height, width, cv.CV_8UC1, data);
  const turned = new cv.Mat();
  try {
    let finds = withProfiles(engine, upright, search(cv, frontal, upright, MIN_NEIGHBOURS.frontal));
    let best: { turn: number; fronts: Find[] } | undefined;
    let sure = certainty(finds);
    for (const turn of [cv.ROTATE_90_CLOCKWISE, cv.ROTATE_90_COUNTERCLOCKWISE, cv.ROTATE_180]) {
      if (sure >= SURE) break;
      cv.rotate(upright, turned, turn);
      const fronts = search(cv, frontal, turned, MIN_NEIGHBOURS.frontal);
      if (certainty(fronts) <= Math.max(sure, MIN_NEIGHBOURS.turned)) continue;
      best = { turn, fronts };
      sure = certainty(fronts);
    }
    if (best) {
      const { turn, fronts } = best;
      cv.rotate(upright, turned, turn);
      finds = withProfiles(engine, turned, fronts).map((find) => turnBack(find, turn, upright, cv));
    }
    return finds.toSorted((a, b) => b.neighbours - a.neighbours).map(({ neighbours: _, ...face }) => face);
  } finally {
    upright.delete();
    turned.delete();
  }
}

function certainty(finds: Find[]): number {
  return Math.max(0, ...finds.map((find) => find.neighbours));
}

/**
 * Adds the faces seen from the side. The profile cascade knows faces that look to the left; the others it finds in the mirrored
 * picture. It takes twice as long as the frontal one and is left out for a crowd, whose crop it would not move.
 */
function withProfiles({ cv, profile }: Engine, picture: Mat, fronts: Find[]): Find[] {
  if (fronts.length >= CROWD) return mergeFinds(fronts);
  const mirrored = new cv.Mat();
  try {
    cv.flip(picture, mirrored, 1);
    return mergeFinds([
      ...fronts,
      ...search(cv, profile, picture, MIN_NEIGHBOURS.profile),
      ...search(cv, profile, mirrored, MIN_NEIGHBOURS.profile).map((find) => ({
        ...find,
        left: picture.cols - find.left - find.width,
      })),
    ]);
  } finally {
    mirrored.delete();
  }
}

/**
 * One find for each face. Both cascades see a half-turned face, one of them too far to the front of the head and the other too far
 * to its back: the mean of the two fits better than either.
 */
function mergeFinds(finds: Find[]): Find[] {
  const faces: Find[] = [];
  for (const find of finds) {
    const index = faces.findIndex((face) => isSameFace(face, find));
    const face = faces[index];
    if (face) faces[index] = meanOf(face, find);
    else faces.push(find);
  }
  return faces;
}

function meanOf(a: Find, b: Find): Find {
  return {
    left: (a.left + b.left) / 2,
    top: (a.top + b.top) / 2,
    width: (a.width + b.width) / 2,
    height: (a.height + b.height) / 2,
    neighbours: a.neighbours + b.neighbours,
  };
}

function search(cv: OpenCv, cascade: Cascade, picture: Mat, minNeighbours: number): Find[] {
  const found = new cv.RectVector();
  const counts = new cv.IntVector();
  const anySize = new cv.Size(0, 0);
  try {
    cascade.detectMultiScale2(picture, found, counts, SCALE_FACTOR, minNeighbours, 0, anySize, anySize);
    return Array.from({ length: found.size() }, (_, index) => {
      const { x, y, width, height } = found.get(index);
      return { left: x, top: y, width, height, neighbours: counts.get(index) };
    });
  } finally {
    found.delete();
    counts.delete();
  }
}

/** Where a find in the turned picture lies in the original one. */
function turnBack(find: Find, turn: number, { cols, rows }: Mat, cv: OpenCv): Find {
  const { left, top, width, height } = find;
  if (turn === cv.ROTATE_180) return { ...find, left: cols - left - width, top: rows - top - height };
  return turn === cv.ROTATE_90_CLOCKWISE
    ? { ...find, left: top, top: rows - left - width, width: height, height: width }
    : { ...find, left: cols - top - height, top: left, width: height, height: width };
}

function isSameFace(a: Rectangle, b: Rectangle): boolean {
  const width = Math.min(a.left + a.width, b.left + b.width) - Math.max(a.left, b.left);
  const height = Math.min(a.top + a.height, b.top + b.height) - Math.max(a.top, b.top);
  const smaller = Math.min(a.width * a.height, b.width * b.height);
  return width > 0 && height > 0 && width * height > SAME_FACE * smaller;
}
