import type { Sharp } from 'sharp';
import type { Rectangle } from './detections.ts';
import { loadCascade, loadNet, loadOpenCv, type Mat, type OpenCv } from './opencv.ts';
import { type Engine, searchFaces } from './search-faces.ts';
import { smallCopy } from './small-copy.ts';

/** One byte per pixel, from black to white, or three (red, green, blue), row by row. */
export interface SmallImage {
  data: Uint8Array;
  width: number;
  height: number;
}

export type FaceDetector = ReturnType<typeof createFaceDetector>;

/**
 * Creates a detector that loads OpenCV, the network and the cascades on first use. It lives as long as the process:
 * OpenCV never frees memory.
 * @param folder of the network and the cascades
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
     * Returns the faces of an image, in its pixels, by descending confidence. Never rejects: if detection is
     * unavailable or fails, it finds no faces.
     */
    async detect(image: SmallImage): Promise<Rectangle[]> {
      if (failure) return [];
      try {
        return detectIn(await started(), image);
      } catch (error) {
        failed(error);
        return [];
      }
    },
    /** Loads the detector if necessary, and reports whether it works. */
    async status(): Promise<{ available: true } | { available: false; reason: string }> {
      await started().catch(failed);
      return failure ? { available: false, reason: failure } : { available: true };
    },
  };
}

/**
 * Detects the faces of an image as displayed.
 * @returns fractions (0 to 1) of the upright image's width and height, by descending confidence; may be stored as JSON
 * @throws the error of sharp if the image cannot be decoded
 */
export async function detectFaces(image: Sharp, detector: FaceDetector): Promise<Rectangle[]> {
  const small = await smallCopy(image);
  const { data, info } = await small.raw().toBuffer({ resolveWithObject: true });
  const { width, height } = info;
  const faces = await detector.detect({ data, width, height });
  return faces.map((face) => ({
    left: face.left / width,
    top: face.top / height,
    width: face.width / width,
    height: face.height / height,
  }));
}

async function startEngine(folder: URL): Promise<Engine> {
  const { cv } = await loadOpenCv();
  const frontal = await loadCascade(cv, new URL('haarcascade_frontalface_alt.xml.gz', folder));
  const profile = await loadCascade(cv, new URL('haarcascade_profileface.xml.gz', folder));
  const net = await loadNet(cv, new URL('face_detection_full_range.tflite', folder));
  return { cv, net, cascades: { frontal, profile } };
}

function detectIn(engine: Engine, image: SmallImage): Rectangle[] {
  const colour = inColour(engine.cv, image);
  try {
    return searchFaces(engine, colour).map(({ confidence: _, ...face }) => within(face, image));
  } finally {
    colour.delete();
  }
}

function inColour(cv: OpenCv, { data, width, height }: SmallImage): Mat {
  if (data.length === width * height * 3) return cv.matFromArray(height, width, cv.CV_8UC3, data);
  const grey = cv.matFromArray(height, width, cv.CV_8UC1, data);
  const colour = new cv.Mat();
  cv.cvtColor(grey, colour, cv.COLOR_GRAY2RGB);
  grey.delete();
  return colour;
}

/** Clips a face to the image: the network extrapolates beyond its edge. */
function within({ left, top, width, height }: Rectangle, image: SmallImage): Rectangle {
  const x = Math.max(0, left);
  const y = Math.max(0, top);
  return {
    left: x,
    top: y,
    width: Math.min(image.width, left + width) - x,
    height: Math.min(image.height, top + height) - y,
  };
}
