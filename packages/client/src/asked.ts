import type { Options } from './options.ts';

/** What frameworks say of how a picture meets its box, in the words of CSS and of sharp. */
const FITS: Readonly<Record<string, Options['crop']>> = {
  cover: 'fill',
  contain: 'pad',
  fill: 'scale',
  inside: 'fit',
  'scale-down': 'fit',
};

/** Where a picture is, and what is made of it wherever nothing else is asked for. No secret: it reaches every browser. */
export interface LoaderSettings {
  /** Where the service is: `https://media.example.com`. */
  base?: string | undefined;
  /** Options of every picture. Its width and height are the framework's to say; `aspectRatio` crops. */
  options?: Omit<Options, 'width' | 'height' | 'pixelRatio'> | undefined;
}

/** What a framework asks for. Numbers may be texts, as in attributes. */
export interface Asked {
  width?: number | string | undefined;
  height?: number | string | undefined;
  quality?: number | string | undefined;
  format?: string | undefined;
  fit?: string | undefined;
  background?: string | undefined;
}

/** What a framework asks for, in options. Other names are those of options already. */
export function optionsOf({ width, height, fit, background, ...others }: Asked): Options {
  const said = {
    ...others,
    width: pixels(width),
    height: pixels(height),
    ...(fit !== undefined && { crop: FITS[fit] ?? fit }),
    background: background?.replace(/^#/, ''),
  };
  return Object.fromEntries(Object.entries(said).filter(([, value]) => value !== undefined)) as Options;
}

/** Whole ones; frameworks compute with ratios. */
function pixels(length: number | string | undefined): number | undefined {
  return length === undefined ? undefined : Math.round(Number.parseFloat(`${length}`));
}
