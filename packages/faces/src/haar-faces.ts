import { type Detection, isSameFace } from './detections.ts';
import type { Cascade, Mat, OpenCv } from './opencv.ts';

export interface Cascades {
  frontal: Cascade;
  profile: Cascade;
}

/** Ratio of the face sizes of consecutive searches. */
const SCALE_FACTOR = 1.1;
/** Minimum face size in pixels: smaller ones take most of the time, and the network detects them better. */
const SMALLEST = 32;
/** Overlapping detections that a face needs at least, minus one. */
const MIN_NEIGHBOURS = { frontal: 4, profile: 6 };

/**
 * Detects faces in a colour image by Viola-Jones cascades, frontal and profile. The profile cascade knows faces that
 * look to the left; the others are found in the mirrored image.
 */
export function searchByCascades(cv: OpenCv, { frontal, profile }: Cascades, image: Mat): Detection[] {
  const grey = new cv.Mat();
  const mirrored = new cv.Mat();
  try {
    cv.cvtColor(image, grey, cv.COLOR_RGB2GRAY);
    cv.flip(grey, mirrored, 1);
    return mergeDetections([
      ...search(cv, frontal, grey, MIN_NEIGHBOURS.frontal),
      ...search(cv, profile, grey, MIN_NEIGHBOURS.profile),
      ...search(cv, profile, mirrored, MIN_NEIGHBOURS.profile).map((detection) => ({
        ...detection,
        left: grey.cols - detection.left - detection.width,
      })),
    ]);
  } finally {
    grey.delete();
    mirrored.delete();
  }
}

/**
 * Returns one detection per face. Both cascades detect a half-turned face, one too far to the front of the head, the
 * other too far to its back: their mean fits better than either.
 */
function mergeDetections(detections: Detection[]): Detection[] {
  const faces: Detection[] = [];
  for (const detection of detections) {
    const index = faces.findIndex((face) => isSameFace(face, detection));
    const face = faces[index];
    if (face) faces[index] = meanOf(face, detection);
    else faces.push(detection);
  }
  return faces;
}

function meanOf(a: Detection, b: Detection): Detection {
  return {
    left: (a.left + b.left) / 2,
    top: (a.top + b.top) / 2,
    width: (a.width + b.width) / 2,
    height: (a.height + b.height) / 2,
    confidence: a.confidence + b.confidence,
  };
}

function search(cv: OpenCv, cascade: Cascade, image: Mat, minNeighbours: number): Detection[] {
  const found = new cv.RectVector();
  const counts = new cv.IntVector();
  const smallest = new cv.Size(SMALLEST, SMALLEST);
  const anySize = new cv.Size(0, 0);
  try {
    cascade.detectMultiScale2(image, found, counts, SCALE_FACTOR, minNeighbours, 0, smallest, anySize);
    return Array.from({ length: found.size() }, (_, index) => {
      const { x, y, width, height } = found.get(index);
      return { left: x, top: y, width, height, confidence: counts.get(index) };
    });
  } finally {
    found.delete();
    counts.delete();
  }
}
