import { type Detection, mostConfidentOfEach, type Point, type Rectangle } from './detections.ts';
import type { Mat, Net, OpenCv } from './opencv.ts';

/** A part of an image, and the centred square of the network's input that shows it as large as possible. */
export interface View {
  /** In colour. */
  image: Mat;
  /** In whole pixels of the image. */
  area: Rectangle;
  at: Point;
  side: number;
}

/** Side of the network's square input, in pixels. */
export const INPUT_SIDE = 192;
/** The network evaluates one position per square of this side: 48 x 48 positions. */
const STRIDE = 4;
const POSITIONS_PER_ROW = INPUT_SIDE / STRIDE;
/** Numbers per position: centre and size of a face, and six points of it. */
const NUMBERS = 16;
/** Indices of the horizontal positions of eyes, nose, mouth and ears among these numbers. */
const POINTS = [4, 6, 8, 10, 12, 14];
const OUTPUTS = ['reshaped_classifier_face_4', 'reshaped_regressor_face_4'];
/** Detections below this confidence (0 to 1) mean nothing. */
const MIN_CONFIDENCE = 0.1;

/** The entire image in the entire input. */
export const wholeOf = (image: Mat): View => ({
  image,
  area: { left: 0, top: 0, width: image.cols, height: image.rows },
  at: { left: 0, top: 0 },
  side: INPUT_SIDE,
});

/**
 * Detects faces with BlazeFace (full range); each pass takes the same time.
 * @returns detections per view, in pixels of its image, by descending confidence; confidence is a probability from
 * `MIN_CONFIDENCE` to 1
 */
export function detectInViews(cv: OpenCv, net: Net, views: readonly View[]): Detection[][] {
  const seen = detections(cv, net, views);
  return views.map((view) => {
    const { scale, left, top } = positionOf(view);
    const own = seen.filter((detection) => {
      const x = detection.left + detection.width / 2 - view.at.left;
      const y = detection.top + detection.height / 2 - view.at.top;
      return x >= 0 && y >= 0 && x < view.side && y < view.side;
    });
    return own.map((detection) => ({
      left: (detection.left - left) / scale + view.area.left,
      top: (detection.top - top) / scale + view.area.top,
      width: detection.width / scale,
      height: detection.height / scale,
      confidence: detection.confidence,
    }));
  });
}

/** Returns the scale of a view, and the position of its area in the input. */
function positionOf({ area, at, side }: View) {
  const scale = side / Math.max(area.width, area.height);
  const width = Math.max(1, Math.round(area.width * scale));
  const height = Math.max(1, Math.round(area.height * scale));
  const left = at.left + Math.floor((side - width) / 2);
  const top = at.top + Math.floor((side - height) / 2);
  return { scale, left, top, width, height };
}

/** Returns the network's detections, in pixels of its input. */
function detections(cv: OpenCv, net: Net, views: readonly View[]): Detection[] {
  const input = cv.matFromArray(INPUT_SIDE, INPUT_SIDE, cv.CV_8UC3, new Uint8Array(INPUT_SIDE * INPUT_SIDE * 3));
  const outputs = new cv.MatVector();
  const objects: { delete(): void }[] = [input, outputs];
  try {
    for (const view of views) show(cv, view, input);
    const size = new cv.Size(INPUT_SIDE, INPUT_SIDE);
    const blob = cv.blobFromImage(input, 1 / 127.5, size, new cv.Scalar(127.5, 127.5, 127.5), false, false, cv.CV_32F);
    objects.push(blob);
    net.setInput(blob);
    net.forward2(outputs, OUTPUTS);
    const scores = outputs.get(0);
    const boxes = outputs.get(1);
    objects.push(scores, boxes);
    return mostConfidentOfEach(read(scores.data32F, boxes.data32F));
  } finally {
    for (const object of objects) object.delete();
  }
}

function show(cv: OpenCv, view: View, input: Mat): void {
  const { area, image } = view;
  const { left, top, width, height } = positionOf(view);
  const part = image.roi(new cv.Rect(area.left, area.top, area.width, area.height));
  const target = input.roi(new cv.Rect(left, top, width, height));
  const scaled = new cv.Mat();
  try {
    cv.resize(part, scaled, new cv.Size(width, height), 0, 0, cv.INTER_AREA);
    scaled.copyTo(target);
  } finally {
    for (const mat of [part, target, scaled]) mat.delete();
  }
}

function read(scores: Float32Array, boxes: Float32Array): Detection[] {
  return Array.from(scores, (score, position) => ({ position, confidence: 1 / (1 + Math.exp(-score)) }))
    .filter(({ confidence }) => confidence >= MIN_CONFIDENCE)
    .map(({ position, confidence }) => {
      const numbers = boxes.subarray(position * NUMBERS, (position + 1) * NUMBERS);
      const [x = 0, y = 0, , height = 0] = numbers;
      // The box of a half-turned head leans towards the direction of view and omits an ear. The points do not.
      const across = POINTS.map((index) => numbers[index] ?? x);
      const near = Math.min(...across);
      const far = Math.max(...across);
      const left = ((position % POSITIONS_PER_ROW) + 0.5) * STRIDE + near;
      const top = (Math.floor(position / POSITIONS_PER_ROW) + 0.5) * STRIDE + y - height / 2;
      return { left, top, width: far - near, height, confidence };
    });
}
