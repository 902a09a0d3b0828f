import { LimitExceeded } from '../failure.ts';

export interface Size {
  width: number;
  height: number;
}

export function megapixelsOf({ width, height }: Size): number {
  return (width * height) / 1e6;
}

export interface Point {
  left: number;
  top: number;
}

export type Rectangle = Point & Size;

/** Mode of fitting an image into a box. */
export type Crop = 'fill' | 'fit' | 'scale' | 'crop' | 'pad';

/** Turn from upright: mirrored from left to right, then by degrees clockwise, 0 to 359. */
export interface Turn {
  isMirrored: boolean;
  degrees: number;
}

/** A turn without a mirror. */
export const turnBy = (degrees: number): Turn => ({ isMirrored: false, degrees });

/** All of an image, in fractions of it. */
export const WHOLE = { left: 0, top: 0, width: 1, height: 1 } as const;

/** A length or a position along one side: whole pixels, or a share (0 to 1) of the side. */
export type Length = { pixels: number } | { share: number };

/** A part of an image. */
export interface Region {
  left: Length;
  top: Length;
  width: Length;
  height: Length;
}

/** Margins in pixels. */
export interface Padding {
  top: number;
  right: number;
  bottom: number;
  left: number;
}

export interface GeometryRequest {
  /** Of the result, with its padding. */
  width?: number;
  height?: number;
  crop: Crop;
  /** Width divided by height. */
  aspectRatio?: number;
  /** Degrees clockwise from upright, 0 to 359. */
  angle: number;
  /** True to mirror from left to right before turning. */
  isMirrored?: boolean;
  /** The part of the turned image that there is; all of it by default. */
  chosen?: Rectangle;
  /** Factor by which the region is smaller than the default, 1 by default. May depend on both sizes. */
  zoom?: number | ((chosen: Size, whole: Size) => number);
  /** False where nothing may become larger than it is. */
  enlarges?: boolean;
  padding?: Padding;
}

/**
 * Chooses the position of a window of this size within an image. Both are in the same pixels, which need not be whole.
 */
export type Placement = (image: Size, window: Size) => Point;

/**
 * Every size of a render, known before a pixel is touched. Sizes are whole pixels, at least 1.
 *
 * upright image -> turned by `angle` (canvas grows) -> part chosen -> region of it retained -> scaled to `content`
 * -> set into `output`
 */
export interface Layout {
  /** The image as displayed. */
  upright: Size;
  /** Degrees clockwise, 0 to 359. */
  angle: number;
  /** True to mirror from left to right before turning. */
  isMirrored: boolean;
  turned: Size;
  /** The retained part of the turned image, exactly. */
  area: Rectangle;
  /** The same in whole pixels. */
  region: Rectangle;
  /** The size that the region is scaled to. */
  content: Size;
  /** The size of the result; larger than `content` where bars are added. */
  output: Size;
  /** Position of the content within the output. */
  offset: Point;
}

/**
 * Plans a render.
 * @param upright the image's size as displayed, after its EXIF orientation
 * @param placeRegion where the region lies in the chosen part of the turned image
 * @param placeContent where the content lies in a larger output
 * @throws LimitExceeded when the padding leaves no space
 */
export function planLayout(
  upright: Size,
  request: GeometryRequest,
  placeRegion: Placement,
  placeContent: Placement = placeRegion,
): Layout {
  const { crop, angle, isMirrored = false, aspectRatio, padding = NO_PADDING } = request;
  const turned = turnedSize(upright, angle);
  const chosen = request.chosen ?? { left: 0, top: 0, ...turned };
  const box = withinPadding(targetBox(request), padding);
  const aspectRegion = aspectRatio ? largestWithin(chosen, aspectRatio) : sizeOf(chosen);
  const fills = (crop === 'fill' || crop === 'crop') && box.width && box.height;
  const whole = fills ? largestWithin(aspectRegion, (box.width as number) / (box.height as number)) : aspectRegion;
  const zoom = typeof request.zoom === 'function' ? request.zoom(sizeOf(chosen), whole) : (request.zoom ?? 1);
  const exactRegion = { width: whole.width / zoom, height: whole.height / zoom };
  const { left, top } = clampPoint(placeRegion(sizeOf(chosen), exactRegion), chosen, exactRegion);
  const area = { left: chosen.left + left, top: chosen.top + top, ...exactRegion };
  const content = contentSize(exactRegion, box, request);
  const inner = crop === 'pad' ? roundSize({ ...content, ...box }) : content;
  const place = roundPoint(clampPoint(placeContent(inner, content), inner, content));
  return {
    upright,
    angle,
    isMirrored,
    turned,
    area,
    region: wholePixels(area, turned),
    content,
    output: withPadding(inner, padding),
    offset: { left: place.left + padding.left, top: place.top + padding.top },
  };
}

const NO_PADDING: Padding = { top: 0, right: 0, bottom: 0, left: 0 };

function withPadding({ width, height }: Size, { top, right, bottom, left }: Padding): Size {
  return { width: width + left + right, height: height + top + bottom };
}

/** The part of a box that its padding leaves. */
function withinPadding({ width, height }: Partial<Size>, { top, right, bottom, left }: Padding): Partial<Size> {
  const inWidth = width && width - left - right;
  const inHeight = height && height - top - bottom;
  if ((inWidth ?? 1) < 1 || (inHeight ?? 1) < 1) {
    const box = `${width ?? 'any width'} x ${height ?? 'any height'}`;
    throw new LimitExceeded(`The padding (${top}:${right}:${bottom}:${left}) leaves no space for the image in ${box}.`);
  }
  return { ...(inWidth && { width: inWidth }), ...(inHeight && { height: inHeight }) };
}

/** Places a window by a point in fractions of the free space: 0,0 is the top left. */
export function placeAt(x: number, y: number): Placement {
  return (image, window) => ({
    left: (image.width - window.width) * x,
    top: (image.height - window.height) * y,
  });
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

/** The canvas that holds an image turned by the angle: the bounding box of its corners. */
export function turnedSize({ width, height }: Size, angle: number): Size {
  if (angle % 180 === 0) return { width, height };
  if (angle % 90 === 0) return { width: height, height: width };
  const radians = (angle * Math.PI) / 180;
  const cosine = Math.abs(Math.cos(radians));
  const sine = Math.abs(Math.sin(radians));
  return roundSize({ width: width * cosine + height * sine, height: width * sine + height * cosine });
}

/** The requested box. With an aspect ratio one side gives the other. */
function targetBox({ width, height, aspectRatio }: GeometryRequest): Partial<Size> {
  if (aspectRatio && width && !height) return { width, height: atLeastOne(width / aspectRatio) };
  if (aspectRatio && height && !width) return { width: atLeastOne(height * aspectRatio), height };
  return { ...(width && { width }), ...(height && { height }) };
}

function contentSize(region: Size, box: Partial<Size>, { crop, enlarges = true }: GeometryRequest): Size {
  const { width, height } = box;
  const most = enlarges && crop !== 'fit' ? Number.POSITIVE_INFINITY : 1;
  if (width && height && crop !== 'fit' && crop !== 'pad') {
    const share = Math.min(1, most * Math.min(region.width / width, region.height / height));
    return roundSize({ width: width * share, height: height * share });
  }
  if (!width && !height) return roundSize(region);
  const byWidth = width ? width / region.width : Number.POSITIVE_INFINITY;
  const byHeight = height ? height / region.height : Number.POSITIVE_INFINITY;
  const scale = Math.min(byWidth, byHeight, most);
  // The side that decides the scale is met exactly. Rounding must not push the other one out of the box.
  return {
    width:
      scale === byWidth && width
        ? width
        : Math.min(atLeastOne(region.width * scale), width ?? Number.POSITIVE_INFINITY),
    height:
      scale === byHeight && height
        ? height
        : Math.min(atLeastOne(region.height * scale), height ?? Number.POSITIVE_INFINITY),
  };
}

/** Returns the largest size of this ratio that lies within another. */
function largestWithin({ width, height }: Size, ratio: number): Size {
  return width / height > ratio ? { width: height * ratio, height } : { width, height: width / ratio };
}

/** The rectangle of whole pixels that is nearest to another, around the same middle. */
function wholePixels(exact: Rectangle, image: Size): Rectangle {
  const size = roundSize(exact);
  const left = exact.left + (exact.width - size.width) / 2;
  const top = exact.top + (exact.height - size.height) / 2;
  return { ...roundPoint(clampPoint({ left, top }, image, size)), ...size };
}

function clampPoint({ left, top }: Point, image: Size, window: Size): Point {
  return {
    left: Math.max(0, Math.min(left, image.width - window.width)),
    top: Math.max(0, Math.min(top, image.height - window.height)),
  };
}

function roundPoint({ left, top }: Point): Point {
  return { left: Math.round(left), top: Math.round(top) };
}

function sizeOf({ width, height }: Size): Size {
  return { width, height };
}

/** In whole pixels, at least 1. */
export function roundSize({ width, height }: Size): Size {
  return { width: atLeastOne(width), height: atLeastOne(height) };
}

function atLeastOne(side: number): number {
  return Math.max(1, Math.round(side));
}
