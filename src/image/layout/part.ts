import type { Length, Rectangle, Region, Size } from './geometry.ts';

/**
 * A part of an image in whole pixels, as far as it lies within.
 * @returns undefined when nothing of it does
 */
export function cutRegion({ left, top, width, height }: Region, picture: Size): Rectangle | undefined {
  const pixels = (length: Length, side: number) => Math.round('pixels' in length ? length.pixels : length.share * side);
  const x = pixels(left, picture.width);
  const y = pixels(top, picture.height);
  const right = Math.min(picture.width, x + pixels(width, picture.width));
  const bottom = Math.min(picture.height, y + pixels(height, picture.height));
  return right > x && bottom > y ? { left: x, top: y, width: right - x, height: bottom - y } : undefined;
}

/** A rectangle in fractions of its image. */
export function shareOf({ left, top, width, height }: Rectangle, picture: Size): Rectangle {
  return {
    left: left / picture.width,
    top: top / picture.height,
    width: width / picture.width,
    height: height / picture.height,
  };
}
