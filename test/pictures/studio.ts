import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp, { type Sharp } from 'sharp';
import { layerInput } from '../../src/image/layers/layer.ts';
import { parseLayered } from '../../src/image/layers/segment.ts';
import { type RenderRequest, type RenderResult, renderImage } from '../../src/image/pipeline.ts';
import { imageSteps } from '../../src/image/steps/index.ts';
import { videoSteps } from '../../src/video/steps/index.ts';
import { findAll } from './find-all.ts';
import { setShippedFonts } from './set-fonts.ts';

/** Red, green, blue, alpha: 0 to 255. */
export type Pixel = readonly [number, number, number, number];

const COLOURS = {
  red: [255, 0, 0, 255],
  green: [0, 255, 0, 255],
  blue: [0, 0, 255, 255],
  yellow: [255, 255, 0, 255],
  white: [255, 255, 255, 255],
  black: [0, 0, 0, 255],
  grey: [128, 128, 128, 255],
} satisfies Record<string, Pixel>;

/** A rendered image to inspect. */
export interface Shown {
  format: string;
  width: number;
  height: number;
  hasAlpha: boolean;
  /** The encoded file. */
  file: string;
  size: number;
  pixel(x: number, y: number): Pixel;
  /** Returns the name of the colour, `transparent`, or the numbers of an unnamed pixel. */
  at(x: number, y: number): string;
  /** Returns `at` of points near the four corners, clockwise from the top left, this many pixels inside. */
  corners(inside?: number): string[];
}

/** A folder with images to render and their results. */
export interface Studio {
  file(name: string): string;
  /**
   * Renders a file by a segment, as a URL would; its layers are files stored with `keep`. Without `f` it is PNG, so
   * that pixels are exact.
   * @param analysis replaces its analysis result
   */
  render(
    input: string,
    segment: string,
    format?: RenderRequest['format'],
    analysis?: RenderRequest['analysis'],
  ): Promise<Shown>;
  /** Renders the same, but returns the outcome. */
  attempt(input: string, segment: string, format?: RenderRequest['format']): Promise<RenderResult>;
  /** Stores bytes as an image file. */
  keep(name: string, bytes: Uint8Array): Promise<string>;
  close(): Promise<void>;
}

export const LIMITS = { inputMegapixels: 100, outputSide: 8192, outputMegapixels: 50, animationFrames: 1000 };

export async function openStudio(): Promise<Studio> {
  await setShippedFonts();
  const folder = await mkdtemp(join(tmpdir(), 'darkroom-pictures-'));
  const file = (name: string) => join(folder, name);
  let count = 0;

  async function attempt(
    input: string,
    segment: string,
    format: RenderRequest['format'] = 'png',
    analysis?: RenderRequest['analysis'],
  ) {
    const { format: own = 'auto', ...options } = parseLayered(segment, imageSteps, [videoSteps], LIMITS) ?? {};
    if (own === 'json') throw new Error('facts are no picture');
    const output = file(`result-${++count}`);
    const laid = (options.layers ?? []).flatMap((layer) => (layer.kind === 'picture' ? [layer.path] : []));
    const request = {
      inputs: { original: input, ...Object.fromEntries(laid.map((path) => [layerInput(path), file(path)])) },
      output,
      options,
      format: own === 'auto' || own === 'best' ? format : own,
      // As for a browser that accepts WebP.
      exact: own === 'best' ? (format === 'fallback' ? ('png' as const) : ('webp' as const)) : undefined,
      limits: LIMITS,
      analysis: analysis ?? (await findAll(input, options, `${output}.json`)),
    };
    return { output, result: await renderImage(request) };
  }

  return {
    file,
    attempt: async (...asked) => (await attempt(...asked)).result,
    async render(...asked) {
      const { output, result } = await attempt(...asked);
      if (result.outcome !== 'rendered') throw new Error(`${result.outcome}: ${result.reason}`);
      return show(output);
    },
    async keep(name, bytes) {
      await writeFile(file(name), bytes);
      return file(name);
    },
    close: () => rm(folder, { recursive: true, force: true }),
  };
}

export async function show(file: string): Promise<Shown> {
  const { format, hasAlpha, size = 0, width: fileWidth, height: fileHeight } = await sharp(file).metadata();
  const { data, info } = await sharp(file).ensureAlpha().raw().toBuffer({ resolveWithObject: true });
  const { width, height } = info;
  if (width !== fileWidth || height !== fileHeight) throw new Error('the header says another size than the pixels');
  const pixel = (x: number, y: number) => {
    if (x < 0 || y < 0 || x >= width || y >= height) throw new Error(`${x},${y} lies outside ${width}x${height}`);
    return [...data.subarray((y * width + x) * 4, (y * width + x) * 4 + 4)] as unknown as Pixel;
  };
  const at = (x: number, y: number) => nameOf(pixel(x, y));
  return {
    format,
    width,
    height,
    hasAlpha,
    file,
    size,
    pixel,
    at,
    corners: (i = 2) => [at(i, i), at(width - 1 - i, i), at(width - 1 - i, height - 1 - i), at(i, height - 1 - i)],
  };
}

/** Lossy encoders shift solid colours by a few steps. */
const TOLERANCE = 8;

function nameOf(pixel: Pixel): string {
  if (pixel[3] <= TOLERANCE) return 'transparent';
  const named = Object.entries(COLOURS).find(([, colour]) =>
    colour.every((value, index) => Math.abs(value - (pixel[index] ?? 0)) <= TOLERANCE),
  );
  return named?.[0] ?? pixel.join(',');
}

/** Creates an image whose pixels a function returns. */
export function painted(width: number, height: number, colour: (x: number, y: number) => Pixel): Sharp {
  const pixels = Buffer.alloc(width * height * 4);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) pixels.set(colour(x, y), (y * width + x) * 4);
  }
  const original = sharp(pixels, { raw: { width, height, channels: 4 } });
  return pixels.every((value, index) => index % 4 !== 3 || value === 255) ? original.removeAlpha() : original;
}

/** Creates red top left, green top right, yellow bottom right, blue bottom left. */
export function quadrants(width: number, height: number): Sharp {
  return painted(width, height, (x, y) => {
    if (y < height / 2) return x < width / 2 ? COLOURS.red : COLOURS.green;
    return x < width / 2 ? COLOURS.blue : COLOURS.yellow;
  });
}

export function solid(width: number, height: number, colour: Pixel): Sharp {
  return painted(width, height, () => colour);
}

/** Creates an animation with a frame of each colour. */
export function frames(width: number, height: number, colours: readonly (keyof typeof COLOURS)[]): Sharp {
  const rows = Buffer.concat(
    colours.map((colour) => Buffer.alloc(width * height * 3, Uint8Array.from(COLOURS[colour].slice(0, 3)))),
  );
  return sharp(rows, { raw: { width, height: height * colours.length, channels: 3, pageHeight: height } });
}

/** Creates a gradient: red grows from left to right, green from top to bottom, so every pixel encodes its position. */
export function gradient(width: number, height: number): Sharp {
  return painted(width, height, (x, y) => [
    Math.round((x / (width - 1)) * 255),
    Math.round((y / (height - 1)) * 255),
    0,
    255,
  ]);
}

/** Returns the ICC profile of Display P3 from sharp. */
export async function displayP3(): Promise<Buffer> {
  const red = sharp({ create: { width: 8, height: 8, channels: 3, background: 'red' } });
  return (await sharp(await red.withIccProfile('p3').png().toBuffer()).metadata()).icc ?? Buffer.alloc(0);
}

/** Returns the mean absolute difference of two images of one size, over all channels: 0 to 255. */
export async function meanDifference(one: string, other: string): Promise<number> {
  const [a, b] = await Promise.all([one, other].map((file) => sharp(file).ensureAlpha().raw().toBuffer()));
  if (!a || !b || a.length !== b.length) return 255;
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += Math.abs((a[i] ?? 0) - (b[i] ?? 0));
  return sum / a.length;
}
