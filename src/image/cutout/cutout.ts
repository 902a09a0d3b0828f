import type { Rectangle } from '../layout/geometry.ts';

/** Where the people of an upright image are. Plain data. */
export interface Cutout {
  /** A grey PNG in base64, white for people; absent where none was found. */
  mask?: string;
  /** The part of the mask that is the image, in fractions of it; all of it by default. */
  area?: Rectangle;
}

/** True if the background is removed. */
export function isCutOut({ cutout: isAsked }: { cutout?: boolean }, { cutout }: { cutout?: Cutout }): boolean {
  return isAsked === true && cutout?.mask !== undefined;
}
