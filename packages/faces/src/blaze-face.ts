import { type Find, type Point, type Rectangle, surestOfEach } from './face-finds.ts';
import type { Mat, Net, OpenCv } from './opencv.ts';

/** A part of a picture, and the square of what the network sees in which it is shown, as large as fits, in the middle. */
export interface View {
  /** In colour. */
  picture: Mat;
  /** In whole pixels of the picture. */
  area: Rectangle;
  at: Point;
  side: number;
}

/** The network sees a square of this many pixels a side. */
export const SIGHT = 192;
/** It judges one place in each square of this many pixels: 48 by 48 places. */
const STRIDE = 4;
const PLACES = SIGHT / STRIDE;
/** For each place it says where the middle of a face would be from there, how large it would be, and where six points of it lie. */
const NUMBERS = 16;
/** Where among these numbers it says how far to the side the eyes, the nose, the mouth and the ears are. */
const POINTS = [4, 6, 8, 10, 12, 14];
const OUTPUTS = ['reshaped_classifier_face_4', 'reshaped_regressor_face_4'];
/** Finds that are less certain (0 to 1) say nothing at all. */
const FAINTEST = 0.1;

/** All of a picture in all of the sight. */
export const wholeOf = (picture: Mat): View => ({
  picture,
  area: { left: 0, top: 0, width: picture.cols, height: picture.rows },
  at: { left: 0, top: 0 },
  side: SIGHT,
});

/**
 * Looks for faces with BlazeFace (full range): one look takes the same time, whatever it sees.
 * @returns for each view what may be a face, in pixels of its picture, the surest first; a certainty is a probability from `FAINTEST` to 1
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

/** How a view is shown: its scale, and where the upper left corner of its area lies in the sight. */
function placeOf({ area, at, side }: View) {
  const scale = side / Math.max(area.width, area.height);
  const width = Math.max(1, Math.round(area.width * scale));
  const height = Math.max(1, Math.round(area.height * scale));
  const left = at.left + Math.floor((side - width) / 2);
  const top = at.top + Math.floor((side - height) / 2);
  return { scale, left, top, width, height };
}

/** What the network says of the views, in pixels of its sight. */
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
      // Its box of a half-turned head leans to where that looks, and leaves out an ear. The points do not.
      const across = POINTS.map((index) => numbers[index] ?? x);
      const near = Math.min(...across);
      const far = Math.max(...across);
      const left = ((place % PLACES) + 0.5) * STRIDE + near;
      const top = (Math.floor(place / PLACES) + 0.5) * STRIDE + y - height / 2;
      return { left, top, width: far - near, height, certainty };
    });
}
