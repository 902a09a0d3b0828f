import type { Triple } from '../../pictures/colours.ts';
import type { Pixels } from '../resample.ts';
import { HEIGHT, sceneAt, WIDTH } from '../scene.ts';
import { halves, words } from './png.ts';
import { profile } from './profiles.ts';
import { readPortable, withTools } from './tools.ts';

/** Returns cyan, magenta, yellow and black at a position, 0 (none) to 1 (full): a simple separation of the scene. */
export function inksAt(x: number, y: number): readonly [number, number, number, number] {
  const [cyan, magenta, yellow] = sceneAt(x, y).map((value) => 1 - value) as unknown as Triple;
  const common = Math.min(cyan, magenta, yellow);
  return [cyan - common / 2, magenta - common / 2, yellow - common / 2, common ** 2];
}

/** Bytes of all inks, 255 full. */
export function inkBytes(colour = inksAt): Buffer {
  const bytes: number[] = [];
  for (let y = 0; y < HEIGHT; y++) {
    for (let x = 0; x < WIDTH; x++) bytes.push(...colour(x, y).map((value) => Math.round(value * 255)));
  }
  return Buffer.from(bytes);
}

/** Lab of the four inks at full strength on white paper, and of white paper; close to newspaper inks. */
const INKS: readonly Triple[] = [
  [58, -28, -34],
  [54, 52, 0],
  [86, -4, 66],
  [24, 0, 0],
];
const PAPER: Triple = [94, 0, 2];
const GRID = 5;

/** Creates an ICC profile (version 2) of a press by formula: every ink filters the light of the paper independently. */
export function inkProfile(): Buffer {
  const samples: number[] = [];
  for (let index = 0; index < GRID ** 4; index++) {
    const inks = [GRID ** 3, GRID ** 2, GRID, 1].map((step) => (Math.floor(index / step) % GRID) / (GRID - 1));
    samples.push(...labNumbers(printed(inks)));
  }
  const head = Buffer.concat([Buffer.from('mft2\0\0\0\0', 'latin1'), Buffer.from([4, 3, GRID, 0])]);
  const identity = words(65_536, 0, 0, 0, 65_536, 0, 0, 0, 65_536);
  const straight = [0, 65_535];
  const tables = [2, 2, ...Array(4).fill(straight).flat(), ...samples, ...Array(3).fill(straight).flat()];
  const table = Buffer.concat([head, identity, halves(...tables)]);
  return profile(2, 'CMYK', 'Newspaper', [['A2B0', table]]);
}

/** Returns the Lab lightness and colour axes of light through all inks. */
function printed(inks: readonly number[]): Triple {
  const [lightness, a, b] = PAPER;
  const result = [lightness, a, b];
  for (const [index, amount] of inks.entries()) {
    const [inkLightness, inkA, inkB] = INKS[index] ?? PAPER;
    const share = (result[0] ?? 0) / lightness;
    // Black removes all colour, the others a part.
    const keep = 1 - amount * (index === 3 ? 1 : 0.3);
    result[0] = (result[0] ?? 0) * (1 - amount * (1 - inkLightness / lightness));
    result[1] = (result[1] ?? 0) * keep + inkA * amount * share;
    result[2] = (result[2] ?? 0) * keep + inkB * amount * share;
  }
  return [result[0] ?? 0, result[1] ?? 0, result[2] ?? 0];
}

/** Encodes Lab as 16-bit numbers in a profile of version 2. */
function labNumbers([lightness, a, b]: Triple): number[] {
  return [(lightness / 100) * 0xff00, (a + 128) * 256, (b + 128) * 256].map((value) =>
    Math.min(65_535, Math.max(0, Math.round(value))),
  );
}

/**
 * Converts inks with Little CMS, like photographs (perceptual), so that the darkest black becomes black.
 * @param icc of the inks
 */
export async function shownInks(inks: Buffer, icc: Buffer): Promise<Pixels> {
  const output = await withTools(
    { 'inks.raw': inks, 'inks.icc': icc },
    [['/usr/bin/python3', '-c', SHOW, String(WIDTH), String(HEIGHT)]],
    'out.ppm',
  );
  return readPortable(output);
}

const SHOW = `
import sys
from PIL import Image, ImageCms
picture = Image.frombytes('CMYK', (int(sys.argv[1]), int(sys.argv[2])), open('inks.raw', 'rb').read())
to = ImageCms.createProfile('sRGB')
ImageCms.profileToProfile(picture, 'inks.icc', to, 0, 'RGB').save('out.ppm')
`;
