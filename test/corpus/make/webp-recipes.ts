import { readFile } from 'node:fs/promises';
import { alphaAt, HEIGHT, sceneAt, WIDTH } from '../scene.ts';
import { fromSrgb, gamma, type Space, TRANSFERS } from '../spaces.ts';
import { orientationExif, writePng } from './png.ts';
import { rgbProfile } from './profiles.ts';
import type { Recipe } from './recipe.ts';
import { storedAs, withTools } from './tools.ts';

type Colour = (x: number, y: number) => readonly number[];

const faded: Colour = (x, y) => [...sceneAt(x, y), alphaAt(x, y)];

function pngOf(colour: Colour, { width = WIDTH, height = HEIGHT } = {}): Buffer {
  const samples = (x: number, y: number) => colour(x, y).map((value) => Math.round(value * 255));
  return writePng({ width, height, type: samples(0, 0).length === 4 ? 6 : 2, depth: 8, samples });
}

const LOSSY = ['-q', '98', '-sharp_yuv', '-m', '6'];
const LOSSLESS = ['-lossless', '-z', '9'];

function cwebp(options: readonly string[], colour: Colour = sceneAt, size = {}) {
  return () =>
    withTools(
      { 'in.png': pngOf(colour, size) },
      [['cwebp', '-quiet', ...options, 'in.png', '-o', 'out.webp']],
      'out.webp',
    );
}

function recipe(name: string, what: string, make: Recipe['make'], more: Partial<Recipe> = {}): Recipe {
  return { file: `${name}.webp`, kind: 'WebP', what, reference: 'scene', make, witness: 'dwebp', ...more };
}

/** Inserts a metadata chunk into a WebP. */
async function withChunk(webp: Promise<Buffer>, kind: 'icc' | 'exif', data: Buffer): Promise<Buffer> {
  const inputs = { 'in.webp': await webp, data };
  return withTools(inputs, [['webpmux', '-set', kind, 'data', 'in.webp', '-o', 'out.webp']], 'out.webp');
}

/**
 * Creates two frames; the first one may cover only a part of the canvas: `+100+60+40+1-b` (milliseconds, position,
 * cleared, not blended).
 */
async function animated(first: Buffer, second: Buffer, place = '+100'): Promise<Buffer> {
  const encode = (name: string) => ['cwebp', '-quiet', ...LOSSLESS, `${name}.png`, '-o', `${name}.webp`];
  const frames = ['-frame', '1.webp', place, '-frame', '2.webp', '+100', '-loop', '0'];
  const commands = [encode('1'), encode('2'), ['webpmux', ...frames, '-bgcolor', '0,0,0,0', '-o', 'out.webp']];
  return withTools({ '1.png': first, '2.png': second }, commands, 'out.webp');
}

function offset(): Promise<Buffer> {
  const part = pngOf((x, y) => sceneAt(x + 60, y + 40), { width: 120, height: 80 });
  return animated(
    part,
    pngOf((x, y) => [0, 0, 0, alphaAt(x, y)]),
    '+100+60+40+1-b',
  );
}

/** Returns the lossless file with alpha, whose header denies alpha: that bit is a hint (RFC 9649, 3.4). */
async function denied(): Promise<Buffer> {
  const webp = await readFile(new URL('../files/lossless-alpha.webp', import.meta.url));
  const flags = webp.indexOf('VP8L') + 8 + 4;
  webp.writeUInt8(webp.readUInt8(flags) & ~0x10, flags);
  return webp;
}

const ADOBE: Space = { primaries: 'adobe', transfer: gamma(563 / 256) };
const P3: Space = { primaries: 'p3', transfer: TRANSFERS.srgb };
const colourIn =
  (space: Space): Colour =>
  (x, y) =>
    fromSrgb(sceneAt(x, y), space);

export const WEBP_RECIPES: readonly Recipe[] = [
  recipe('lossy', 'lossy', cwebp(LOSSY)),
  recipe('lossless', 'lossless', cwebp(LOSSLESS)),
  recipe('lossy-alpha', 'lossy, with alpha', cwebp([...LOSSY, '-exact'], faded), { reference: 'scene-faded' }),
  recipe('lossless-alpha', 'lossless, with alpha', cwebp([...LOSSLESS, '-exact'], faded), { reference: 'scene-faded' }),
  recipe('lossless-denied', 'lossless, with alpha that the header denies', denied, {
    witness: 'ffmpeg',
    reference: 'scene-faded',
  }),
  recipe(
    'icc-v2',
    'ICC profile, version 2, Adobe RGB',
    () => withChunk(cwebp(LOSSLESS, colourIn(ADOBE))(), 'icc', rgbProfile(2, 'adobe', 563 / 256)),
    { witness: 'Pillow, Little CMS' },
  ),
  recipe(
    'icc-v4',
    'ICC profile, version 4, Display P3, lossy',
    () => withChunk(cwebp(LOSSY, colourIn(P3))(), 'icc', rgbProfile(4, 'p3', 'srgb')),
    { witness: 'Pillow, Little CMS' },
  ),
  ...[1, 2, 3, 4, 5, 6, 7, 8].map((orientation) => {
    const { colour, ...size } = storedAs(orientation);
    const make = () => withChunk(cwebp(LOSSLESS, colour, size)(), 'exif', orientationExif(orientation));
    return recipe(`orientation-${orientation}`, `EXIF orientation ${orientation}`, make, { witness: 'Pillow' });
  }),
  recipe(
    'animated',
    'animated: its first frame',
    () =>
      animated(
        pngOf(sceneAt),
        pngOf(() => [0, 0, 0]),
      ),
    { witness: 'Pillow' },
  ),
  recipe(
    'animated-alpha',
    'animated, with alpha: its first frame',
    () =>
      animated(
        pngOf(faded),
        pngOf(() => [0, 0, 0]),
      ),
    { witness: 'Pillow', reference: 'scene-faded' },
  ),
  recipe('animated-offset', 'animated: a first frame smaller than the canvas', offset, {
    witness: 'Pillow',
    reference: 'scene-window',
  }),
];
