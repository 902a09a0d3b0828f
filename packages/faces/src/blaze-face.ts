import { type Find, type Point, type Rectangle, surestOfEach } from './face-finds.ts';
import type { Mat, Net, OpenCv } from './opencv.ts';

/** A part of an image, and the centred square of the network's input that shows it as large as possible. */
export interface View {
  /** In colour. */
  picture: Mat;
  /** In whole pixels of the image. */
  area: Rectangle;
  at: Point;
  side: number;
}

/** Side of the network's square input, in pixels. */
export const SIGHT = 192;
/** The network evaluates one position per square of this side: 48 x 48 positions. */
const STRIDE = 4;
const PLACES = SIGHT / STRIDE;
/** Numbers per position: centre and size of a face, and six points of it. */
const NUMBERS = 16;
/** Indices of the horizontal positions of eyes, nose, mouth and ears among these numbers. */
const POINTS = [4, 6, 8, 10, 12, 14];
const OUTPUTS = ['reshaped_classifier_face_4', 'reshaped_regressor_face_4'];
/** Detections below this confidence (0 to 1) mean nothing. */
const FAINTEST = 0.1;

/** The entire image in the entire input. */
export const wholeOf = (picture: Mat): View => ({
  picture,
  area: { left: 0, top: 0, width: picture.cols, height: picture.rows },
  at: { left: 0, top: 0 },
  side: SIGHT,
});

/**
 * Detects faces with BlazeFace (full range); each pass takes the same time.
 * @returns detections per view, in pixels of its image, by descending confidence; confidence is a probability from
 * `MIN_CONFIDENCE` to 1
 */
export function look(cv: OpenCv, net: Net, views: readonly View[]): Find[][] {
  const seen = finds(cv, net, views);
  return views.map((view) => {
    const { scale, left, top } = placeOf(view);
    const own = seen.filter((find) => {
      const x = find.left + find.width / 2 - view.at.left;
      const y = find.top + find.height / 2 - view.at.top;
      return x >= 0 && y >= 0 && x < view.side && y < view.side;
    });
    return own.map((find) => ({
      left: (find.left - left) / scale + view.area.left,
      top: (find.top - top) / scale + view.area.top,
      width: find.width / scale,
      height: find.height / scale,
      certainty: find.certainty,
    }));
  });
}

/** Returns the scale of a view, and the position of its area in the input. */
function placeOf({ area, at, side }: View) {
  const scale = side / Math.max(area.width, area.height);
  const width = Math.max(1, Math.round(area.width * scale));
  const height = Math.max(1, Math.round(area.height * scale));
  const left = at.left + Math.floor((side - width) / 2);
  const top = at.top + Math.floor((side - height) / 2);
  return { scale, left, top, width, height };
}

/** Returns the network's detections, in pixels of its input. */
function finds(cv: OpenCv, net: Net, views: readonly View[]): Find[] {
  const sight = cv.matFromArray(SIGHT, SIGHT, cv.CV_8UC3, new Uint8Array(SIGHT * SIGHT * 3));
  const outputs = new cv.MatVector();
  const kept: { delete(): void }[] = [sight, outputs];
  try {
    for (const view of views) show(cv, view, sight);
    const size = new cv.Size(SIGHT, SIGHT);
    const blob = cv.blobFromImage(sight, 1 / 127.5, size, new cv.Scalar(127.5, 127.5, 127.5), false, false, cv.CV_32F);
    kept.push(blob);
    net.setInput(blob);
    net.forward2(outputs, OUTPUTS);
    const scores = outputs.get(0);
    const boxes = outputs.get(1);
    kept.push(scores, boxes);
    return surestOfEach(read(scores.data32F, boxes.data32F));
  } finally {
    for (const object of kept) object.delete();
  }
}

function show(cv: OpenCv, view: View, sight: Mat): void {
  const { area, picture } = view;
  const { left, top, width, height } = placeOf(view);
  const part = picture.roi(new cv.Rect(area.left, area.top, area.width, area.height));
  const target = sight.roi(new cv.Rect(left, top, width, height));
  const scaled = new cv.Mat();
  try {
    cv.resize(part, scaled, new cv.Size(width, height), 0, 0, cv.INTER_AREA);
    scaled.copyTo(target);
  } finally {
    for (const mat of [part, target, scaled]) mat.delete();
  }
}

function read(scores: Float32Array, boxes: Float32Array): Find[] {
  return Array.from(scores, (score, place) => ({ place, certainty: 1 / (1 + Math.exp(-score)) }))
    .filter(({ certainty }) => certainty >= FAINTEST)
    .map(({ place, certainty }) => {
      const numbers = boxes.subarray(place * NUMBERS, (place + 1) * NUMBERS);
      const [x = 0, y = 0, , height = 0] = numbers;
      // The box of a half-turned head leans towards the direction of view and omits an ear. The points do not.
      const across = POINTS.map((index) => numbers[index] ?? x);
      const near = Math.min(...across);
      const far = Math.max(...across);
      const left = ((place % PLACES) + 0.5) * STRIDE + near;
      const top = (Math.floor(place / PLACES) + 0.5) * STRIDE + y - height / 2;
      return { left, top, width: far - near, height, certainty };
    });
}
