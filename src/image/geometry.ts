export interface Size {
  width: number;
  height: number;
}

export interface Point {
  left: number;
  top: number;
}

export type Rectangle = Point & Size;

/** How a picture is fitted into a box. */
export type Crop = 'fill' | 'fit' | 'scale' | 'crop' | 'pad';

export interface GeometryRequest {
  width?: number;
  height?: number;
  crop: Crop;
  /** Width divided by height. */
  aspectRatio?: number;
  /** Degrees clockwise from upright, 0 to 359. */
  angle: number;
}

/** Chooses where a window of the given size lies within a picture. Both are in the same pixels, which need not be whole. */
export type Placement = (picture: Size, window: Size) => Point;

/**
 * Every size of a render, known before a pixel is touched. Sizes are whole pixels, at least 1.
 *
 * upright picture -> turned by `angle` (canvas grows) -> region kept -> scaled to `content` -> set into `output`
 */
export interface Layout {
  /** The picture as displayed. */
  upright: Size;
  /** Degrees clockwise, 0 to 359. */
  angle: number;
  turned: Size;
  /** The part of the turned picture that is kept, exactly. */
  kept: Rectangle;
  /** The same in whole pixels. */
  region: Rectangle;
  /** The size that the region is scaled to. */
  content: Size;
  /** The size of the result; larger than `content` where bars are added. */
  output: Size;
  /** Where the content lies within the output. */
  offset: Point;
}

/**
 * Plans a render.
 * @param upright the picture's size as displayed, after its EXIF orientation
 * @param placeRegion where the region lies in the turned picture
 * @param placeContent where the content lies in a larger output
 */
export function planLayout(
  upright: Size,
  request: GeometryRequest,
  placeRegion: Placement,
  placeContent: Placement = placeRegion,
): Layout {
  const turned = turnedSize(upright, request.angle);
  const box = targetBox(request);
  const aspectRegion = request.aspectRatio ? largestWithin(turned, request.aspectRatio) : turned;
  const fills = (request.crop === 'fill' || request.crop === 'crop') && box.width && box.height;
  const exactRegion = fills
    ? largestWithin(aspectRegion, (box.width as number) / (box.height as number))
    : aspectRegion;
  const kept = { ...clampPoint(placeRegion(turned, exactRegion), turned, exactRegion), ...exactRegion };
  const content = contentSize(exactRegion, box, request.crop);
  const output = request.crop === 'pad' ? roundSize({ ...content, ...box }) : content;
  return {
    upright,
    angle: request.angle,
    turned,
    kept,
    region: wholePixels(kept, turned),
    content,
    output,
    offset: roundPoint(clampPoint(placeContent(output, content), output, content)),
  };
}

/** Places a window by a point in fractions of the free space: 0,0 is the top left. */
export function placeAt(x: number, y: number): Placement {
  return (picture, window) => ({
    left: (picture.width - window.width) * x,
    top: (picture.height - window.height) * y,
  });
}

/** The canvas that holds a picture turned by the angle: the bounding box of its corners. */
export function turnedSize({ width, height }: Size, angle: number): Size {
  if (angle % 180 === 0) return { width, height };
  if (angle % 90 === 0) return { width: height, height: width };
  const radians = (angle * Math.PI) / 180;
  const [cosine, sine] = [Math.abs(Math.cos(radians)), Math.abs(Math.sin(radians))];
  return roundSize({ width: width * cosine + height * sine, height: width * sine + height * cosine });
}

/** The requested box. With an aspect ratio one side gives the other. */
function targetBox({ width, height, aspectRatio }: GeometryRequest): Partial<Size> {
  if (aspectRatio && width && !height) return { width, height: atLeastOne(width / aspectRatio) };
  if (aspectRatio && height && !width) return { width: atLeastOne(height * aspectRatio), height };
  return { ...(width && { width }), ...(height && { height }) };
}

function contentSize(region: Size, box: Partial<Size>, crop: Crop): Size {
  const { width, height } = box;
  if (width && height && crop !== 'fit' && crop !== 'pad') return { width, height };
  if (!width && !height) return roundSize(region);
  const byWidth = width ? width / region.width : Number.POSITIVE_INFINITY;
  const byHeight = height ? height / region.height : Number.POSITIVE_INFINITY;
  const scale = Math.min(byWidth, byHeight, crop === 'fit' ? 1 : Number.POSITIVE_INFINITY);
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

/** The largest size of the given ratio that lies within another. */
function largestWithin({ width, height }: Size, ratio: number): Size {
  return width / height > ratio ? { width: height * ratio, height } : { width, height: width / ratio };
}

/** The rectangle of whole pixels that is nearest to another, around the same middle. */
function wholePixels(exact: Rectangle, picture: Size): Rectangle {
  const size = roundSize(exact);
  const left = exact.left + (exact.width - size.width) / 2;
  const top = exact.top + (exact.height - size.height) / 2;
  return { ...roundPoint(clampPoint({ left, top }, picture, size)), ...size };
}

function clampPoint({ left, top }: Point, picture: Size, window: Size): Point {
  return {
    left: Math.max(0, Math.min(left, picture.width - window.width)),
    top: Math.max(0, Math.min(top, picture.height - window.height)),
  };
}

function roundPoint({ left, top }: Point): Point {
  return { left: Math.round(left), top: Math.round(top) };
}

function roundSize({ width, height }: Size): Size {
  return { width: atLeastOne(width), height: atLeastOne(height) };
}

function atLeastOne(side: number): number {
  return Math.max(1, Math.round(side));
}
