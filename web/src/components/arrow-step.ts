/** A movement in fractions of the sides of an image. */
export interface Step {
  x: number;
  y: number;
}

const STEP = 0.01;
const LARGE_STEP = 0.1;
const DIRECTIONS: Readonly<Record<string, readonly [x: number, y: number]>> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
};

interface Key {
  key: string;
  shiftKey: boolean;
  altKey: boolean;
  ctrlKey: boolean;
  metaKey: boolean;
}

/**
 * Step of an arrow key: a hundredth of the image, or a tenth with Shift; undefined for other keys, and for those of the
 * browser, such as Alt and an arrow.
 */
export function stepOf({ key, shiftKey, altKey, ctrlKey, metaKey }: Key): Step | undefined {
  const direction = altKey || ctrlKey || metaKey ? undefined : DIRECTIONS[key];
  const step = shiftKey ? LARGE_STEP : STEP;
  return direction && { x: direction[0] * step, y: direction[1] * step };
}
