import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import sharp from 'sharp';
import type { Triple } from '../pictures/colours.ts';
import type { Pixels } from './resample.ts';
import { alphaAt, greyAt, HEIGHT, indexedScene, isSolid, sceneAt, WIDTH } from './scene.ts';
import { BRIGHT, fromSrgb, type Primaries, TRANSFERS, toSrgb } from './spaces.ts';

type Rgba = readonly [number, number, number, number];
type Formula = (x: number, y: number) => Rgba;

const opaque = ([red, green, blue]: Triple): Rgba => [red, green, blue, 1];
const grey = (value: number): Rgba => [value, value, value, 1];

/** Grey in steps of `bits`. */
const steps = (bits: number): Formula => {
  const most = 2 ** bits - 1;
  return (x, y) => grey(Math.round(greyAt(x, y) * most) / most);
};

const indexed = (bits: 1 | 2 | 4 | 8): Formula => {
  const { colours, at } = indexedScene(bits);
  return (x, y) => {
    const [red, green, blue] = colours[at(x, y)] ?? [0, 0, 0];
    return opaque([red / 255, green / 255, blue / 255]);
  };
};

const holed =
  (formula: Formula): Formula =>
  (x, y) => {
    const [red, green, blue] = formula(x, y);
    return [red, green, blue, isSolid(x, y) ? 1 : 0];
  };

const faded =
  (formula: Formula): Formula =>
  (x, y) => {
    const [red, green, blue] = formula(x, y);
    return [red, green, blue, alphaAt(x, y)];
  };

/** Restricts a formula to a part of the image; the rest is transparent. */
const windowed =
  (formula: Formula): Formula =>
  (x, y) => {
    const [red, green, blue] = formula(x, y);
    const isInside = x >= 60 && x < 180 && y >= 40 && y < 120;
    return [red, green, blue, isInside ? 1 : 0];
  };

/** Returns the numbers of the scene in a colour space beyond that of the screen. */
const vivid =
  (primaries: Primaries): Formula =>
  (x, y) =>
    opaque(toSrgb(sceneAt(x, y), { primaries, transfer: TRANSFERS.srgb }));

/** Returns the scene as HDR: its white is graphics white times `brightness`. */
const bright =
  (primaries: Primaries, brightness: number): Formula =>
  (x, y) => {
    const space = { primaries, transfer: TRANSFERS.pq };
    return opaque(toSrgb(fromSrgb(sceneAt(x, y), space, brightness), space));
  };

const scene: Formula = (x, y) => opaque(sceneAt(x, y));
const greyScene: Formula = (x, y) => grey(greyAt(x, y));

/** Expected contents of files, as formulas for sRGB colours and alpha, 0 to 1. */
export const FORMULAS: Readonly<Record<string, Formula>> = {
  scene,
  'scene-faded': faded(scene),
  'scene-holed': holed(scene),
  'scene-window': windowed(scene),
  'scene-p3': vivid('p3'),
  'scene-bt2020': vivid('bt2020'),
  'scene-hdr': bright('bt2020', 1),
  'scene-hdr-p3': bright('p3', 1),
  'scene-bright': bright('bt2020', BRIGHT),
  'scene-turned': (x, y) => scene(WIDTH - 1 - x, HEIGHT - 1 - y),
  'scene-faded-turned': (x, y) => faded(scene)(WIDTH - 1 - x, HEIGHT - 1 - y),
  grey: greyScene,
  'grey-faded': faded(greyScene),
  'grey-holed': holed(greyScene),
  'grey-1': steps(1),
  'grey-2': steps(2),
  'grey-4': steps(4),
  'indexed-1': indexed(1),
  'indexed-2': indexed(2),
  'indexed-4': indexed(4),
  'indexed-8': indexed(8),
  'indexed-8-holed': holed(indexed(8)),
  'indexed-8-window': windowed(indexed(8)),
  'indexed-8-faded': faded(indexed(8)),
};

const FOLDER = new URL('./', import.meta.url);

/** @param name a formula, or a PNG of the folder `references/` created by a second decoder */
export async function referenceOf(name: string): Promise<Pixels> {
  const formula = FORMULAS[name];
  if (name === 'scene-odd') return drawn(scene, 233, 157);
  if (name === 'scene-cropped') return drawn(scene, 200, 120);
  if (formula) return drawn(formula);
  const file = fileURLToPath(new URL(`references/${name}`, FOLDER));
  return decoded(await readFile(file));
}

/** Decodes an image file to sRGB numbers. */
export async function decoded(file: Buffer | string): Promise<Pixels> {
  const { data, info } = await sharp(file)
    .toColourspace('srgb')
    .ensureAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true });
  return { width: info.width, height: info.height, data };
}

export function drawn(formula: Formula, width = WIDTH, height = HEIGHT): Pixels {
  const data = new Uint8ClampedArray(width * height * 4);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      data.set(
        formula(x, y).map((value) => value * 255),
        (y * width + x) * 4,
      );
    }
  }
  return { width, height, data };
}
