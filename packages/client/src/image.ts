import type { Options } from './options.ts';
import { fail, url } from './url.ts';

/** From phones to large screens. */
export const WIDTHS: readonly number[] = [320, 640, 960, 1280, 1600, 2048];
/** What `pixelRatio` may be. */
const LEAST = 0.5;
const MOST = 4;

/** Beside what is made of a picture: where it is, and how a page shows it. */
export interface Shown {
  /** Where the service is: `https://media.example.com`. */
  base?: string | undefined;
  /** The widths that the browser may choose from, in pixels. The service makes those alone that are asked for. */
  widths?: readonly number[] | undefined;
  /** How wide it is shown, as HTML says it; by default as wide as `width`, or as the screen. */
  sizes?: string | undefined;
  /** The size of the original, upright: then no larger picture is offered, and a page leaves room for it. */
  original?: { width: number; height: number } | undefined;
}

/** The attributes of an `img`; those of its size where they are known. */
export interface Img {
  src: string;
  srcset: string;
  sizes: string;
  width?: number;
  height?: number;
}

/** The attributes of a `source` in a `picture`. */
export interface Source {
  type: string;
  srcset: string;
  sizes: string;
}

/**
 * The attributes of an `img` that is offered in several widths. With `width` all of them look alike: every length, also of layers,
 * grows with them. Which one a dense screen needs is the browser's to say.
 * @param options as for `url`; `width` and `height` are those that the picture is shown in
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
 * What stands in a `picture`: a `source` for each of some formats, the best first, and the `img` for what takes none of them. Behind
 * a cache that heeds `Vary: Accept` `img` alone does the same.
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

/** The picture in several widths: its options, and how wide it is with them. */
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

/** As it is shown, where that can be known. */
function sizeOf({ width, height, aspectRatio, crop }: Options, original: Shown['original']) {
  const [across = 0, down = 0] = aspectRatio?.split(':').map(Number) ?? [original?.width, original?.height];
  const shown = width ?? original?.width;
  if (shown === undefined) return {};
  const isBox = height !== undefined && crop !== 'fit';
  if (!isBox && !(across > 0 && down > 0)) return {};
  return { width: shown, height: isBox ? height : Math.round((shown * down) / across) };
}
