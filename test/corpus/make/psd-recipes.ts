import type { Triple } from '../../pictures/colours.ts';
import { channel, layerInfo, psdSample, type Sample, sized } from '../../pictures/psd-sample.ts';
import { alphaAt, greyAt, HEIGHT, indexedScene, sceneAt, WIDTH } from '../scene.ts';
import { fromSrgb, gamma, labOfD50, type Space, TRANSFERS } from '../spaces.ts';
import { inkProfile, inksAt } from './inks.ts';
import { greyProfile, rgbProfile } from './profiles.ts';
import type { Recipe, Witness } from './recipe.ts';

type Depth = 8 | 16 | 32;
type Value = (x: number, y: number) => number;

const SIZE = { width: WIDTH, height: HEIGHT };
const MODES = { bitmap: 0, grey: 1, indexed: 2, rgb: 3, cmyk: 4, duotone: 8, lab: 9 } as const;
const ICC = 1039;

/** Returns a channel of numbers from 0 to 1, in rows. */
function plane(value: Value, depth: Depth = 8): Buffer {
  const bytes = Buffer.alloc((WIDTH * HEIGHT * depth) / 8);
  for (let index = 0; index < WIDTH * HEIGHT; index++) {
    const number = value(index % WIDTH, Math.floor(index / WIDTH));
    if (depth === 8) bytes[index] = Math.round(number * 255);
    if (depth === 16) bytes.writeUInt16BE(Math.round((Math.round(number * 1023) / 1023) * 65_535), index * 2);
    if (depth === 32) bytes.writeFloatBE(Math.fround(Math.round(number * 4095) / 4095), index * 4);
  }
  return bytes;
}

const part =
  (colour: (x: number, y: number) => readonly number[], index: number): Value =>
  (x, y) =>
    colour(x, y)[index] ?? 0;
const planes = (colour: (x: number, y: number) => readonly number[], count: number, depth: Depth = 8) =>
  Array.from({ length: count }, (_, index) => plane(part(colour, index), depth));
const linear = (x: number, y: number) => fromSrgb(sceneAt(x, y), { primaries: 'srgb', transfer: TRANSFERS.linear });
const P3: Space = { primaries: 'p3', transfer: TRANSFERS.srgb };
const inP3 = (x: number, y: number) => fromSrgb(sceneAt(x, y), P3);
/** The file stores 0 for full ink. */
const inks = (x: number, y: number) => inksAt(x, y).map((value) => 1 - value);
/** Returns L, a, b of white D50: lightness of 0 to 1, and the other two around 128. */
const lab = (x: number, y: number) => labNumbers(x, y, 128 / 255, 1 / 255);
const lab16 = (x: number, y: number) => labNumbers(x, y, 32_768 / 65_535, 256 / 65_535);

function labNumbers(x: number, y: number, middle: number, unit: number): readonly number[] {
  const [lightness, a, b] = labOfD50(sceneAt(x, y));
  return [lightness / 100, middle + a * unit, middle + b * unit];
}

const GREY18: Space = { primaries: 'srgb', transfer: gamma(461 / 256) };

const indexes = () =>
  Buffer.from(
    Array.from({ length: WIDTH * HEIGHT }, (_, index) => indexedScene8.at(index % WIDTH, Math.floor(index / WIDTH))),
  );
const indexedScene8 = indexedScene(8);

function recipe(
  name: string,
  what: string,
  sample: Omit<Sample, 'width' | 'height'>,
  more: Partial<Recipe> = {},
): Recipe {
  const make = () => psdSample({ ...SIZE, ...sample });
  return { file: `${name}.psd`, kind: 'PSD', what, reference: 'scene', make, witness: 'ImageMagick', ...more };
}

const LITTLE_CMS: Witness = 'Pillow, Little CMS';

/** Returns one bit per pixel, 1 is black. */
function bits(): Buffer {
  const rows = Buffer.alloc((WIDTH / 8) * HEIGHT);
  for (let y = 0; y < HEIGHT; y++) {
    for (let x = 0; x < WIDTH; x++) {
      const at = y * (WIDTH / 8) + (x >> 3);
      if (greyAt(x, y) < 0.5) rows[at] = (rows[at] ?? 0) | (0x80 >> (x & 7));
    }
  }
  return rows;
}

function palette(colours: readonly Triple[]): Buffer {
  const data = Buffer.alloc(768);
  for (const [index, colour] of colours.entries())
    for (const [c, value] of colour.entries()) data[c * 256 + index] = value;
  return data;
}

/**
 * Creates three layers under an empty merged image: the background, and each half of the scene with a soft edge to the
 * other.
 */
function layered(): Omit<Sample, 'width' | 'height'> {
  const side =
    (isLeft: boolean): Value =>
    (x) =>
      Math.min(1, Math.max(0, ((isLeft ? WIDTH / 2 - x : x - WIDTH / 2) + 20) / 40));
  const layer = (coverage: Value, blend = 'norm') => ({
    bounds: [0, 0, HEIGHT, WIDTH] as [number, number, number, number],
    blend,
    channels: {
      [-1]: channel(plane(coverage), HEIGHT, 2),
      0: channel(plane(part(sceneAt, 0)), HEIGHT, 2),
      1: channel(plane(part(sceneAt, 1)), HEIGHT, 2),
      2: channel(plane(part(sceneAt, 2)), HEIGHT, 2),
    },
  });
  const layers = [layer(() => 1), layer(side(true)), layer(side(false))];
  const nothing = [0, 1, 2].map(() => Buffer.alloc(WIDTH * HEIGHT, 255));
  return { mode: MODES.rgb, planes: nothing, layers: sized(layerInfo(layers)), compression: 1 };
}

const grey: (x: number, y: number) => readonly number[] = (x, y) => [greyAt(x, y)];
/** Transparent pixels of the merged image lie on white. */
const faded = (x: number, y: number) => {
  const alpha = alphaAt(x, y);
  return [...sceneAt(x, y).map((value) => value * alpha + 1 - alpha), alpha];
};
/** Declares a transparent merged image: a negative number of layers. */
const TRANSPARENT = sized(Buffer.from([0xff, 0xff]));

const GREYS: Recipe[] = [
  recipe('bitmap', 'bitmap', { mode: MODES.bitmap, depth: 1, planes: [bits()] }, { reference: 'grey-1' }),
  recipe('grey-8', 'grey, 8 bit', { mode: MODES.grey, planes: planes(grey, 1), compression: 1 }, { reference: 'grey' }),
  recipe(
    'grey-16',
    'grey, 16 bit',
    { mode: MODES.grey, depth: 16, planes: planes(grey, 1, 16), compression: 3 },
    { reference: 'grey', witness: 'formula' },
  ),
  recipe(
    'grey-icc',
    'grey with an ICC profile, gamma 1.8',
    {
      mode: MODES.grey,
      planes: planes((x, y) => fromSrgb([greyAt(x, y), greyAt(x, y), greyAt(x, y)], GREY18), 1),
      compression: 1,
      resources: { [ICC]: greyProfile(2, 461 / 256) },
    },
    { reference: 'grey', witness: LITTLE_CMS },
  ),
  recipe(
    'duotone',
    'duotone, shown as grey',
    { mode: MODES.duotone, planes: planes(grey, 1), compression: 1, modeData: Buffer.alloc(16) },
    { reference: 'grey' },
  ),
];

const COLOURS: Recipe[] = [
  recipe(
    'indexed',
    'indexed',
    { mode: MODES.indexed, planes: [indexes()], compression: 1, modeData: palette(indexedScene(8).colours) },
    { reference: 'indexed-8', witness: 'Pillow' },
  ),
  recipe('rgb-8', 'RGB, 8 bit', { mode: MODES.rgb, planes: planes(sceneAt, 3), compression: 1 }),
  recipe(
    'rgb-16',
    'RGB, 16 bit',
    { mode: MODES.rgb, depth: 16, planes: planes(sceneAt, 3, 16), compression: 3 },
    { witness: 'formula' },
  ),
  recipe(
    'rgb-32',
    'RGB, 32 bit, linear',
    { mode: MODES.rgb, depth: 32, planes: planes(linear, 3, 32), compression: 2 },
    { witness: 'formula' },
  ),
  recipe(
    'rgb-icc',
    'RGB with an ICC profile, version 4, Display P3',
    { mode: MODES.rgb, planes: planes(inP3, 3), compression: 1, resources: { [ICC]: rgbProfile(4, 'p3', 'srgb') } },
    { witness: LITTLE_CMS },
  ),
  recipe(
    'rgb-alpha',
    'RGB with transparency',
    { mode: MODES.rgb, planes: planes(faded, 4), compression: 1, layers: TRANSPARENT },
    { reference: 'scene-faded' },
  ),
  recipe('large', 'RGB, PSB', { version: 2, mode: MODES.rgb, planes: planes(sceneAt, 3), compression: 1 }),
  recipe(
    'cmyk',
    'CMYK without a profile',
    { mode: MODES.cmyk, planes: planes(inks, 4), compression: 1 },
    { reference: 'inks-press.png', witness: 'Pillow, Little CMS' },
  ),
  recipe(
    'cmyk-icc',
    'CMYK with a profile',
    { mode: MODES.cmyk, planes: planes(inks, 4), compression: 1, resources: { [ICC]: inkProfile() } },
    { reference: 'inks.png', witness: LITTLE_CMS },
  ),
  recipe(
    'lab-8',
    'Lab, 8 bit',
    { mode: MODES.lab, planes: planes(lab, 3), compression: 1 },
    { witness: 'Pillow, Little CMS' },
  ),
  recipe(
    'lab-16',
    'Lab, 16 bit',
    { mode: MODES.lab, depth: 16, planes: planes(lab16, 3, 16), compression: 3 },
    { witness: 'formula' },
  ),
  recipe('layers', 'layers without a merged image', layered(), { witness: 'ImageMagick, layers' }),
];

export const PSD_RECIPES: readonly Recipe[] = [...GREYS, ...COLOURS];
