/** Pixels. */
export interface Size {
  width: number;
  height: number;
}

/** Pixels from the centre of the stage. */
export interface Point {
  x: number;
  y: number;
}

/** Screen pixels per image pixel, and the centre of the image. */
export interface View extends Point {
  scale: number;
}

/** Factor of a button or key. */
export const STEP = 1.5;
const MAX_SCALE = 8;
/** Pixels of a key press in a zoomed image. */
export const PAN = 80;

const clamp = (value: number, least: number, most: number) => Math.min(most, Math.max(least, value));

/** Scale at which the whole image is visible; at most 1 unless it can be drawn at any size. */
export function fitScale(stage: Size, image: Size, isScalable = false): number {
  const scale = Math.min(stage.width / image.width, stage.height / image.height);
  return isScalable ? scale : Math.min(1, scale);
}

export const fitView = (stage: Size, image: Size, isScalable = false): View => ({
  scale: fitScale(stage, image, isScalable),
  x: 0,
  y: 0,
});

/** Keeps the image over the stage; centres sides that are smaller. */
export function bounded({ scale, x, y }: View, stage: Size, image: Size): View {
  const across = Math.max(0, (image.width * scale - stage.width) / 2);
  const down = Math.max(0, (image.height * scale - stage.height) / 2);
  return { scale, x: clamp(x, -across, across), y: clamp(y, -down, down) };
}

/** Changes the scale and keeps the pixel under `at`. The least scale is that at which everything is visible. */
export function zoomedAt(view: View, scale: number, at: Point, stage: Size, image: Size, isScalable = false): View {
  const least = fitScale(stage, image, isScalable);
  const next = clamp(scale, least, Math.max(MAX_SCALE, least));
  const ratio = next / view.scale;
  const moved = { scale: next, x: at.x - (at.x - view.x) * ratio, y: at.y - (at.y - view.y) * ratio };
  return bounded(moved, stage, image);
}

/** Scale factor of a wheel event; `ctrlKey` is a pinch on a touchpad, whose steps are small. */
export function wheelFactor({
  deltaY,
  deltaMode,
  ctrlKey,
}: Pick<WheelEvent, 'deltaY' | 'deltaMode' | 'ctrlKey'>): number {
  const pixels = clamp(deltaMode === 0 ? deltaY : deltaY * 33, -240, 240);
  return Math.exp(-pixels * (ctrlKey ? 0.01 : 0.002));
}
