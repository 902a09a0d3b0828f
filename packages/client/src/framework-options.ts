import type { Options } from './options.ts';

/** Fit of an image in its box: values of frameworks, which are those of CSS and sharp. */
const FITS: Readonly<Record<string, Options['crop']>> = {
  cover: 'fill',
  contain: 'pad',
  fill: 'scale',
  inside: 'fit',
  'scale-down': 'fit',
};

/** Location of the service, and default options. Not secret: it reaches every browser. */
export interface LoaderSettings {
  /** URL of the service: `https://media.example.com`. */
  base?: string | undefined;
  /** Options of every image. Width and height come from the framework; `aspectRatio` crops. */
  options?: Omit<Options, 'width' | 'height' | 'pixelRatio'> | undefined;
}

/** Options of frameworks. Numbers may be strings, as in attributes. */
export interface FrameworkOptions {
  width?: number | string | undefined;
  height?: number | string | undefined;
  quality?: number | string | undefined;
  format?: string | undefined;
  fit?: string | undefined;
  background?: string | undefined;
}

/** Converts options of a framework. Other names already are options of Darkroom. */
export function optionsOf({ width, height, fit, background, ...others }: FrameworkOptions): Options {
  const said = {
    ...others,
    width: pixels(width),
    height: pixels(height),
    ...(fit !== undefined && { crop: FITS[fit] ?? fit }),
    background: background?.replace(/^#/, ''),
  };
  return Object.fromEntries(Object.entries(said).filter(([, value]) => value !== undefined)) as Options;
}

/** Rounded: frameworks multiply by pixel ratios. */
function pixels(length: number | string | undefined): number | undefined {
  return length === undefined ? undefined : Math.round(Number.parseFloat(`${length}`));
}
