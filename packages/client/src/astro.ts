import { type FrameworkOptions, type LoaderSettings, optionsOf } from './framework-options.ts';
import type { Options } from './options.ts';
import { url } from './url.ts';

/** Qualities by Astro's names, with the numbers of its own service. */
const QUALITIES: Readonly<Record<string, number>> = { low: 25, mid: 50, high: 80, max: 100 };

/** Image request of Astro. An imported image is an object. */
interface Transform extends FrameworkOptions {
  src: string | { src: string };
  position?: string | undefined;
  widths?: number[] | undefined;
  densities?: (number | `${number}x`)[] | undefined;
  /** Options of Darkroom for this image. */
  darkroom?: Options | undefined;
  [attribute: string]: unknown;
}

interface ImageConfig {
  service: { config: LoaderSettings };
}

/** External image service of Astro. Images that a page imports are not in the library and stay unchanged. */
const service = {
  validateOptions<Given extends Transform>(transform: Given): Given {
    const { width, height } = optionsOf({ width: transform.width, height: transform.height });
    return { ...transform, width, height };
  },

  getURL(transform: Transform, { service: { config } }: ImageConfig): string {
    const { src, width, height, quality, format, fit, position, background, darkroom } = transform;
    if (typeof src !== 'string') return src.src;
    const requested = optionsOf({
      width,
      height,
      format,
      fit,
      background,
      quality: QUALITIES[`${quality}`] ?? quality,
    });
    return url(src, { ...config.options, ...gravityOf(position), ...requested, ...darkroom }, config.base);
  },

  getSrcSet<Given extends Transform>(given: Given) {
    const { widths = [], densities, ...transform } = given;
    const width = Number(transform.width);
    const height = Number(transform.height);
    const all = densities
      ? densities.map((one) => ({ wide: width * Number.parseFloat(`${one}`), as: `${Number.parseFloat(`${one}`)}x` }))
      : widths.map((one) => ({ wide: one, as: `${one}w` }));
    const steps = typeof given.src === 'string' ? all.sort((one, other) => one.wide - other.wide) : [];
    return steps.map(({ wide, as }) => {
      const high = transform.height === undefined ? {} : { height: Math.round((wide * height) / width) };
      return {
        transform: { ...transform, width: Math.round(wide), ...high } as Given,
        descriptor: as,
        attributes: given.format === undefined ? {} : { type: `image/${given.format}` },
      };
    });
  },

  getHTMLAttributes(transform: Transform): Record<string, unknown> {
    const {
      src,
      format,
      quality,
      densities,
      widths,
      formats,
      layout,
      priority,
      fit,
      position,
      background,
      darkroom,
      ...attributes
    } = transform;
    return { ...attributes, loading: attributes.loading ?? 'lazy', decoding: attributes.decoding ?? 'async' };
  },
};

const SIDES: Readonly<Record<string, string>> = { top: 'north', bottom: 'south', left: 'west', right: 'east' };

/** Converts `object-position` of CSS. The centre is the default, unless a focal point is stored with the image. */
function gravityOf(position = 'center'): Options {
  const words = position.split(/[\s-]+/);
  const shares = words.map((word) => (word.endsWith('%') ? Number.parseFloat(word) / 100 : Number.NaN));
  if (shares.length === 2 && !shares.some(Number.isNaN)) return { gravity: `fp:${shares[0] ?? 0}:${shares[1] ?? 0}` };
  const sides = words.flatMap((word) => SIDES[word] ?? []).sort((one) => (/th$/.test(one) ? -1 : 1));
  return sides.length > 0 ? { gravity: sides.join('_') as 'north_east' } : {};
}

export default service;
