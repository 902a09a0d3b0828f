import type { Options } from './options.ts';
import { fail, url } from './url.ts';

/** From phones to large screens. */
export const WIDTHS: readonly number[] = [320, 640, 960, 1280, 1600, 2048];
/** Minimum `pixelRatio`. */
const LEAST = 0.5;
const MOST = 4;

/** Location of an image, and how a page shows it. */
export interface Shown {
  /** URL of the service: `https://media.example.com`. */
  base?: string | undefined;
  /** Widths that the browser may choose from, in pixels. The service only makes requested ones. */
  widths?: readonly number[] | undefined;
  /** Displayed width, as in HTML; by default `width`, or the width of the screen. */
  sizes?: string | undefined;
  /** Size of the original, upright: no larger image is offered, and a page reserves its space. */
  original?: { width: number; height: number } | undefined;
}

/** Attributes of an `img`, with its size if it is known. */
export interface Img {
  src: string;
  srcset: string;
  sizes: string;
  width?: number;
  height?: number;
}

/** Attributes of a `source` in a `picture`. */
export interface Source {
  type: string;
  srcset: string;
  sizes: string;
}

/**
 * Returns the attributes of an `img` with several widths. With `width` all of them look alike: every length, also of
 * layers, scales with them. The browser chooses one for its screen.
 * @param options as for `url`; `width` and `height` are the displayed size
 * @throws TypeError as `url`, and for a height without a width
 */
export function img(path: string, options: Options = {}, shown: Shown = {}): Img {
  const { width } = options;
  const steps = stepsOf(options, shown);
  const middle = steps[Math.floor(steps.length / 2)];
  const src = width === undefined ? middle?.options : { ...options, pixelRatio: undefined };
  const size = sizeOf(options, shown.original);
  return {
    src: url(path, src, shown.base),
    srcset: steps.map((step) => `${url(path, step.options, shown.base)} ${step.width}w`).join(', '),
    sizes: shown.sizes ?? (width === undefined ? '100vw' : `(max-width: ${width}px) 100vw, ${width}px`),
    ...size,
  };
}

/**
 * Returns the content of a `picture`: a `source` per format, the best first, and the `img` as fallback. Behind a cache
 * that respects `Vary: Accept`, `img` alone has the same effect.
 * @param options as for `img`; `format` is that of the `img`
 * @throws TypeError as `img`
 */
export function picture(
  path: string,
  options: Options = {},
  { formats = ['avif', 'webp'], ...shown }: Shown & { formats?: readonly ('avif' | 'webp' | 'jpeg' | 'png')[] } = {},
): { sources: Source[]; img: Img } {
  const sources = formats.map((format) => {
    const { srcset, sizes } = img(path, { ...options, format }, shown);
    return { type: `image/${format}`, srcset, sizes };
  });
  return { sources, img: img(path, { format: 'jpeg', ...options }, shown) };
}

/** Returns the options and width of each size. */
function stepsOf(options: Options, { widths = WIDTHS, original }: Shown): { width: number; options: Options }[] {
  const { width, height } = options;
  if (width === undefined) {
    if (height !== undefined) fail('width', 'a width beside the height', width);
    const smaller = widths.filter((one) => original === undefined || one <= original.width);
    const all = smaller.length > 0 ? smaller : [original?.width ?? 0];
    return all.map((one) => ({ width: one, options: { ...options, width: one } }));
  }
  const largest = original ? Math.min(original.width / width, original.height / (height ?? 1)) : MOST;
  const most = Math.min(MOST, Math.max(1, largest));
  const ratios = [...widths, width].map((one) => Number(Math.min(most, Math.max(LEAST, one / width)).toFixed(2)));
  return [...new Set(ratios)]
    .sort((one, other) => one - other)
    .map((pixelRatio) => ({ width: Math.round(width * pixelRatio), options: { ...options, pixelRatio } }));
}

/** Displayed size, if it can be known. */
function sizeOf({ width, height, aspectRatio, crop }: Options, original: Shown['original']) {
  const [across = 0, down = 0] = aspectRatio?.split(':').map(Number) ?? [original?.width, original?.height];
  const shown = width ?? original?.width;
  if (shown === undefined) return {};
  const isBox = height !== undefined && crop !== 'fit';
  if (!isBox && !(across > 0 && down > 0)) return {};
  return { width: shown, height: isBox ? height : Math.round((shown * down) / across) };
}
