import type { Length, Rectangle, Region, Size } from './geometry.ts';

/**
 * A part of an image in whole pixels, as far as it lies within.
 * @returns undefined when nothing of it does
 */
export function cutRegion({ left, top, width, height }: Region, image: Size): Rectangle | undefined {
  const pixels = (length: Length, side: number) => Math.round('pixels' in length ? length.pixels : length.share * side);
  const x = pixels(left, image.width);
  const y = pixels(top, image.height);
  const right = Math.min(image.width, x + pixels(width, image.width));
  const bottom = Math.min(image.height, y + pixels(height, image.height));
  return right > x && bottom > y ? { left: x, top: y, width: right - x, height: bottom - y } : undefined;
}

/** A rectangle in fractions of its image. */
export function shareOf({ left, top, width, height }: Rectangle, image: Size): Rectangle {
  return {
    left: left / image.width,
    top: top / image.height,
    width: width / image.width,
    height: height / image.height,
  };
}
