export interface Size {
  width: number;
  height: number;
}

export interface Point {
  left: number;
  top: number;
}

type VideoCrop = 'fill' | 'fit' | 'scale' | 'pad';

interface VideoBox {
  width?: number | undefined;
  height?: number | undefined;
  crop?: VideoCrop | undefined;
}

/** All sizes of a transcode. All but `region` are even, as 4:2:0 chroma needs; all are square pixels. */
export interface VideoLayout {
  /** Used part of the displayed image, in displayed pixels, not rounded. */
  region: Point & Size;
  /** Size of the region after scaling. */
  scaled: Size;
  /** Visible part of the scaled region. */
  window: Point & Size;
  /** Size of the result; larger than the window if bars are added. */
  output: Size;
  /** Position of the window in the output. */
  offset: Point;
}

/**
 * Scaling first and cropping afterwards is more exact; cropping first scales fewer pixels. Scale first up to this ratio
 * of scaled to visible pixels,
 */
const MAX_SCALED_EXCESS = 4;
/** and while the scaled frame has at most this many pixels, unless the result has more. */
const MAX_SCALED_PIXELS = 16_000_000;

/** Plans the sizes of a transcode. @param displayed size after rotation and pixel aspect ratio */
export function planVideoLayout(displayed: Size, { width, height, crop = 'fill' }: VideoBox): VideoLayout {
  if (!width && !height) return keepSize(displayed);
  if (crop === 'fit') return whole(fitWithin(displayed, { width, height }, 1));
  if (!width || !height) return whole(nearestEven(followRatio(displayed, { width, height })));
  const box = nearestEven({ width, height });
  if (crop === 'scale') return whole(box);
  return crop === 'pad' ? padTo(displayed, box) : fill(displayed, box);

  function whole(size: Size): VideoLayout {
    return layout(atOrigin(displayed), size, atOrigin(size));
  }
}

/** Returns the sides of a result that are known without the video. A result with `fit` may be smaller than its box. */
export function knownSides({ width, height, crop }: VideoBox): Partial<Size> {
  if (crop === 'fit') return {};
  return { ...(width && { width: nearestEvenSide(width) }), ...(height && { height: nearestEvenSide(height) }) };
}

/** Crops an odd row or column, so that nothing is resampled. */
function keepSize(displayed: Size): VideoLayout {
  return layout(atOrigin(displayed), displayed, atOrigin(floorEven(displayed)));
}

function padTo(displayed: Size, box: Size): VideoLayout {
  const content = fitWithin(displayed, box, Number.POSITIVE_INFINITY);
  return {
    ...layout(atOrigin(displayed), content, atOrigin(content)),
    output: box,
    offset: centred(box, content),
  };
}

function fill(displayed: Size, box: Size): VideoLayout {
  const scale = Math.max(box.width / displayed.width, box.height / displayed.height);
  const scaled = ceilEven({ width: displayed.width * scale, height: displayed.height * scale });
  const pixels = box.width * box.height;
  const maxScaled = Math.min(MAX_SCALED_EXCESS * pixels, Math.max(pixels, MAX_SCALED_PIXELS));
  if (scaled.width * scaled.height <= maxScaled) {
    return layout(atOrigin(displayed), scaled, { ...centred(scaled, box), ...box });
  }
  const size = { width: box.width / scale, height: box.height / scale };
  const position = { left: (displayed.width - size.width) / 2, top: (displayed.height - size.height) / 2 };
  return layout({ ...position, ...size }, box, atOrigin(box));
}

function layout(region: Point & Size, scaled: Size, window: Point & Size): VideoLayout {
  return {
    region,
    scaled,
    window,
    output: { width: window.width, height: window.height },
    offset: { left: 0, top: 0 },
  };
}

/** Returns the largest even size within the box, enlarged at most `maxScale` times. */
function fitWithin(displayed: Size, { width, height }: Omit<VideoBox, 'crop'>, maxScale: number): Size {
  const byWidth = width ? width / displayed.width : Number.POSITIVE_INFINITY;
  const byHeight = height ? height / displayed.height : Number.POSITIVE_INFINITY;
  const scale = Math.min(byWidth, byHeight, maxScale);
  const near = nearestEven({ width: displayed.width * scale, height: displayed.height * scale });
  const limit = floorEven({
    width: Math.min(width ?? Number.POSITIVE_INFINITY, displayed.width * maxScale),
    height: Math.min(height ?? Number.POSITIVE_INFINITY, displayed.height * maxScale),
  });
  return { width: Math.min(near.width, limit.width), height: Math.min(near.height, limit.height) };
}

function followRatio(displayed: Size, { width, height }: Omit<VideoBox, 'crop'>): Size {
  if (width) return { width, height: (width * displayed.height) / displayed.width };
  return { width: ((height ?? 0) * displayed.width) / displayed.height, height: height ?? 0 };
}

function centred(outer: Size, inner: Size): Point {
  return { left: floor(outer.width - inner.width), top: floor(outer.height - inner.height) };

  // Chroma is stored for every second pixel, so a window starts on an even one.
  function floor(space: number): number {
    return 2 * Math.floor(space / 4);
  }
}

const atOrigin = (size: Size) => ({ left: 0, top: 0, ...size });
const nearestEvenSide = (side: number) => Math.max(2, 2 * Math.round(side / 2));
const nearestEven = (size: Size) => mapSides(size, nearestEvenSide);
const floorEven = (size: Size) => mapSides(size, (side) => 2 * Math.floor(side / 2));
const ceilEven = (size: Size) => mapSides(size, (side) => 2 * Math.ceil(side / 2 - 1e-6));

function mapSides({ width, height }: Size, round: (side: number) => number): Size {
  return { width: Math.max(2, round(width)), height: Math.max(2, round(height)) };
}
