import { readFile } from 'node:fs/promises';
import { alphaAt, greyAt, HEIGHT, sceneAt, WIDTH } from '../scene.ts';
import { BRIGHT, fromSrgb, gamma, type Space, TRANSFERS } from '../spaces.ts';
import {
  a1op,
  type CodedItem,
  fullBox,
  gridData,
  iccBox,
  imir,
  irot,
  ispe,
  lsel,
  nclx,
  pixi,
  readItems,
  writeHeif,
} from './heif.ts';
import { type Layer, layeredItem } from './layers.ts';
import { orientationExif, words, writePng } from './png.ts';
import { rgbProfile } from './profiles.ts';
import type { Recipe, Witness } from './recipe.ts';
import { storedAs, withTools } from './tools.ts';

type Colour = (x: number, y: number) => readonly number[];
type Make = () => Promise<Buffer>;

const withAlpha =
  (colour: Colour): Colour =>
  (x, y) => [...colour(x, y), alphaAt(x, y)];
const grey: Colour = (x, y) => [greyAt(x, y)];

const PNG_TYPES: Readonly<Record<number, 0 | 2 | 4 | 6>> = { 1: 0, 2: 4, 3: 2, 4: 6 };

/** Returns the input of the encoders: a PNG. */
function pngOf(depth: 8 | 16, colour: Colour, width = WIDTH, height = HEIGHT): Buffer {
  const samples = (x: number, y: number) => colour(x, y).map((value) => Math.round(value * (2 ** depth - 1)));
  return writePng({ width, height, type: PNG_TYPES[samples(0, 0).length] ?? 2, depth, samples });
}

const FINE = ['--min', '0', '--max', '10', '--minalpha', '0', '--maxalpha', '4', '-s', '6'];

function avif(options: readonly string[], colour: Colour = sceneAt, size: readonly [number?, number?] = []): Make {
  return () =>
    withTools(
      { 'in.png': pngOf(16, colour, ...size) },
      [['avifenc', ...FINE, ...options, 'in.png', 'out.avif']],
      'out.avif',
    );
}

/** @param depth of the samples; the encoder reads 8 bits from an 8-bit PNG only */
function heic(
  options: readonly string[],
  colour: Colour = sceneAt,
  size: readonly [number?, number?] = [],
  depth: 8 | 10 = 8,
): Make {
  const all = [
    '-q',
    '97',
    ...(options.includes('chroma=420') ? [] : ['-p', 'chroma=444']),
    '-b',
    `${depth}`,
    ...options,
  ];
  const picture = () => pngOf(depth === 8 ? 8 : 16, colour, ...size);
  return () => withTools({ 'in.png': picture() }, [['heif-enc', ...all, '-o', 'out.heic', 'in.png']], 'out.heic');
}

function recipe(kind: 'AVIF' | 'HEIC', name: string, what: string, make: Make, more: Partial<Recipe> = {}): Recipe {
  const witness: Witness = kind === 'AVIF' ? 'avifdec' : 'heif-convert';
  return { file: `${name}.${kind.toLowerCase()}`, kind, what, reference: 'scene', make, witness, ...more };
}

const CHROMA = { '444': '4:4:4', '422': '4:2:2', '420': '4:2:0', '400': '4:0:0' } as const;
const CODINGS: Recipe[] = (['8', '10', '12'] as const).flatMap((depth) =>
  (['444', '422', '420', '400'] as const).map((chroma) => {
    const isGrey = chroma === '400';
    const make = avif(['-d', depth, '-y', chroma], isGrey ? grey : sceneAt);
    const reference = isGrey ? 'grey' : 'scene';
    return recipe('AVIF', `still-${depth}-${chroma}`, `${depth} bit, ${CHROMA[chroma]}`, make, { reference });
  }),
);

const cicp = (primaries: number, transfer: number, matrix: number) => ['--cicp', `${primaries}/${transfer}/${matrix}`];

const MATRICES: Recipe[] = [
  recipe('AVIF', 'limited-range', 'limited range', avif(['-d', '8', '-r', 'limited'])),
  recipe('AVIF', 'limited-range-10', 'limited range, 10 bit, 4:2:0', avif(['-d', '10', '-y', '420', '-r', 'limited'])),
  recipe('AVIF', 'matrix-rgb', 'RGB (matrix 0)', avif(['-d', '8', ...cicp(1, 13, 0)])),
  recipe('AVIF', 'matrix-bt709', 'matrix of BT.709', avif(['-d', '8', ...cicp(1, 13, 1)])),
  recipe('AVIF', 'matrix-bt2020', 'matrix of BT.2020', avif(['-d', '10', ...cicp(1, 13, 9)])),
];

const P3: Space = { primaries: 'p3', transfer: TRANSFERS.srgb };
const BT2020: Space = { primaries: 'bt2020', transfer: TRANSFERS.srgb };
const PQ: Space = { primaries: 'bt2020', transfer: TRANSFERS.pq };
const HLG: Space = { primaries: 'bt2020', transfer: TRANSFERS.hlg };

type SpaceRow = readonly [
  name: string,
  what: string,
  codes: readonly [number, number, number],
  space: Space,
  hdr?: string,
];
const SPACES: readonly SpaceRow[] = [
  ['srgb', 'BT.709 and sRGB', [1, 13, 6], { primaries: 'srgb', transfer: TRANSFERS.srgb }],
  ['bt709', 'BT.709', [1, 1, 1], { primaries: 'srgb', transfer: TRANSFERS.srgb }],
  ['p3', 'Display P3', [12, 13, 6], { primaries: 'p3', transfer: TRANSFERS.srgb }],
  ['bt2020', 'BT.2020 and sRGB', [9, 13, 9], BT2020],
  ['bt2020-14', 'BT.2020, 10 bit', [9, 14, 9], BT2020],
  ['bt601-625', 'BT.601, 625 lines', [5, 6, 5], { primaries: 'bt601of625', transfer: TRANSFERS.srgb }],
  ['bt601-525', 'BT.601, 525 lines', [6, 6, 6], { primaries: 'bt601of525', transfer: TRANSFERS.srgb }],
  ['gamma-2.2', 'gamma 2.2', [1, 4, 6], { primaries: 'srgb', transfer: gamma(2.2) }],
  ['gamma-2.8', 'gamma 2.8', [1, 5, 6], { primaries: 'srgb', transfer: gamma(2.8) }],
  ['linear', 'linear', [1, 8, 1], { primaries: 'srgb', transfer: gamma(1) }],
  ['pq', 'BT.2020 and PQ', [9, 16, 9], PQ, 'scene-hdr'],
  ['pq-p3', 'P3 and PQ', [12, 16, 6], { primaries: 'p3', transfer: TRANSFERS.pq }, 'scene-hdr-p3'],
  ['hlg', 'BT.2020 and HLG', [9, 18, 9], HLG, 'scene-hdr'],
];

const colourIn =
  (space: Space): Colour =>
  (x, y) =>
    fromSrgb(sceneAt(x, y), space);

const HDR = { reference: 'scene-hdr', toneMapped: true } as const;
/** Returns colours up to 812 cd/m2. */
const brightIn =
  (space: Space): Colour =>
  (x, y) =>
    fromSrgb(sceneAt(x, y), space, BRIGHT);
const BRIGHTER = { reference: 'scene-bright', toneMapped: true } as const;

const COLOURS: Recipe[] = [
  recipe(
    'AVIF',
    'bright-pq',
    'nclx: BT.2020 and PQ, brighter than a screen',
    avif(['-d', '10', ...cicp(9, 16, 9)], brightIn(PQ)),
    {
      space: PQ,
      ...BRIGHTER,
    },
  ),
  recipe(
    'AVIF',
    'bright-hlg',
    'nclx: BT.2020 and HLG, brighter than a screen',
    avif(['-d', '10', ...cicp(9, 18, 9)], brightIn(HLG)),
    {
      space: HLG,
      ...BRIGHTER,
    },
  ),
  ...SPACES.map(([name, what, codes, space, hdr]) => {
    const depth = name === 'linear' ? '12' : '10';
    const make = avif(['-d', depth, ...cicp(...codes)], colourIn(space));
    return recipe('AVIF', `nclx-${name}`, `nclx: ${what}`, make, { space, ...(hdr && { ...HDR, reference: hdr }) });
  }),
  recipe(
    'AVIF',
    'icc-v2',
    'ICC profile, version 2, Adobe RGB',
    profiledAvif(2, { primaries: 'adobe', transfer: gamma(563 / 256) }),
    { space: { primaries: 'adobe', transfer: gamma(563 / 256) } },
  ),
  recipe('AVIF', 'icc-v4', 'ICC profile, version 4, Display P3, 10 bit', profiledAvif(4, P3), { space: P3 }),
];

function profiledAvif(version: 2 | 4, space: Space): Make {
  const icc = rgbProfile(version, space.primaries, version === 4 ? 'srgb' : 563 / 256);
  const inputs = { 'in.png': pngOf(16, colourIn(space)), 'in.icc': icc };
  const options = ['-d', version === 4 ? '10' : '8', '--icc', 'in.icc'];
  return () => withTools(inputs, [['avifenc', ...FINE, ...options, 'in.png', 'out.avif']], 'out.avif');
}

const ALPHAS: Recipe[] = [
  recipe('AVIF', 'alpha', 'alpha', avif(['-d', '8'], withAlpha(sceneAt)), { reference: 'scene-faded' }),
  recipe('AVIF', 'alpha-10', 'alpha, 10 bit, 4:2:0', avif(['-d', '10', '-y', '420'], withAlpha(sceneAt)), {
    reference: 'scene-faded',
  }),
  recipe('AVIF', 'alpha-grey', 'alpha, 4:0:0', avif(['-d', '8', '-y', '400'], withAlpha(grey)), {
    reference: 'grey-faded',
  }),
  recipe(
    'AVIF',
    'alpha-premultiplied-10',
    'premultiplied alpha, 10 bit, Display P3',
    avif(['-d', '10', '-p', ...cicp(12, 13, 6)], withAlpha(colourIn(P3))),
    { reference: 'scene-faded', space: P3 },
  ),
  recipe('AVIF', 'alpha-premultiplied', 'premultiplied alpha', avif(['-d', '8', '-p'], withAlpha(sceneAt)), {
    reference: 'scene-faded',
  }),
];

/** EXIF orientations as counterclockwise quarter turns followed by a mirror. */
const TURNS: Readonly<Record<number, { quarters?: number; mirror?: 0 | 1 }>> = {
  1: {},
  2: { mirror: 1 },
  3: { quarters: 2 },
  4: { mirror: 0 },
  5: { quarters: 1, mirror: 0 },
  6: { quarters: 3 },
  7: { quarters: 1, mirror: 1 },
  8: { quarters: 1 },
};

/** Every orientation as cameras write it: by properties, and in EXIF data that must be ignored. */
const turned = (kind: 'AVIF' | 'HEIC'): Recipe[] =>
  Object.entries(TURNS).map(([orientation, { quarters, mirror }]) => {
    const { colour, width, height } = storedAs(Number(orientation));
    const make = async () => {
      const encode = kind === 'AVIF' ? avif(['-d', '8'], colour, [width, height]) : heic([], colour, [width, height]);
      const [item] = readItems(await encode());
      if (!item) throw new Error('Expected a picture.');
      const turns = [...(quarters ? [irot(quarters)] : []), ...(mirror === undefined ? [] : [imir(mirror)])];
      const properties = [...(item.properties ?? []), SRGB, ...turns];
      const exif = Buffer.concat([words(0), orientationExif(Number(orientation))]);
      return writeHeif(kind === 'AVIF' ? 'avif' : 'heic', [
        { ...item, properties },
        { type: 'Exif', data: exif, refers: [{ type: 'cdsc', to: [1] }], hidden: true },
      ]);
    };
    const what = `EXIF orientation ${orientation} (irot, imir)`;
    return recipe(kind, `orientation-${orientation}`, what, make, { witness: 'heif-convert' });
  });

const SRGB = nclx(1, 13, 6, true);

/**
 * Creates a grid of four images of a quarter each.
 * @param width of the whole, which crops the right and the bottom ones
 */
async function grid(
  kind: 'avif' | 'heic',
  [width, height]: readonly [number, number],
  turns: readonly Buffer[] = [],
): Promise<Buffer> {
  const cellWidth = 128;
  const cellHeight = 96;
  const cells: CodedItem[] = [];
  for (const [left, top] of [
    [0, 0],
    [cellWidth, 0],
    [0, cellHeight],
    [cellWidth, cellHeight],
  ] as const) {
    const colour: Colour = (x, y) => sceneAt(Math.min(left + x, WIDTH - 1), Math.min(top + y, HEIGHT - 1));
    const encode =
      kind === 'avif' ? avif(['-d', '8'], colour, [cellWidth, cellHeight]) : heic([], colour, [cellWidth, cellHeight]);
    const [item] = readItems(await encode());
    if (item) cells.push({ ...item, properties: [...(item.properties ?? []), SRGB], hidden: true });
  }
  const whole: CodedItem = {
    type: 'grid',
    data: gridData(2, 2, width, height),
    properties: [ispe(width, height), pixi, SRGB, ...turns],
    refers: [{ type: 'dimg', to: [2, 3, 4, 5] }],
  };
  return writeHeif(kind, [whole, ...cells]);
}

const SHAPES: Recipe[] = [
  recipe('AVIF', 'grid', 'grid of 2x2', () => grid('avif', [WIDTH, HEIGHT])),
  recipe('AVIF', 'sequence', 'sequence: its main image', sequence),
  recipe('AVIF', 'cropped', 'clean aperture (clap)', avif(['-d', '8', '--crop', '0,0,200,120']), {
    reference: 'scene-cropped',
    witness: 'heif-convert',
  }),
];

async function sequence(): Promise<Buffer> {
  const frames = { '1.png': pngOf(16, sceneAt), '2.png': pngOf(16, () => [0, 0, 0]) };
  return withTools(frames, [['avifenc', ...FINE, '-d', '8', '1.png', '2.png', 'out.avif']], 'out.avif');
}

/** Encodes with the encoder's matrix of BT.601, for which it writes no box. */
function heicIn(primaries: number, transfer: number, space: Space, depth: 8 | 10): Make {
  const make = heic([], colourIn(space), [], depth);
  return async () => {
    const [item] = readItems(await make());
    if (!item) throw new Error('Expected a picture.');
    return writeHeif('heic', [
      { ...item, properties: [...(item.properties ?? []), nclx(primaries, transfer, 6, true)] },
    ]);
  };
}

async function profiledHeic(): Promise<Buffer> {
  const [item] = readItems(await heic([], colourIn(P3))());
  if (!item) throw new Error('Expected a picture.');
  return writeHeif('heic', [
    { ...item, properties: [...(item.properties ?? []), SRGB, iccBox(rgbProfile(4, 'p3', 'srgb'))] },
  ]);
}

/** Premultiplied colours: the encoder declares premultiplied alpha, and expects the caller to multiply. */
const multiplied: Colour = (x, y) => [...sceneAt(x, y).map((value) => value * alphaAt(x, y)), alphaAt(x, y)];

const HEICS: Recipe[] = [
  recipe('HEIC', 'still', '8 bit, 4:4:4', heic([])),
  recipe('HEIC', 'still-420', '8 bit, 4:2:0', heic(['-p', 'chroma=420'])),
  recipe('HEIC', 'still-10', '10 bit, 4:2:0', heic(['-p', 'chroma=420'], sceneAt, [], 10)),
  recipe('HEIC', 'grey', '4:0:0', heic([], grey), { reference: 'grey' }),
  recipe('HEIC', 'alpha', 'alpha', heic([], withAlpha(sceneAt)), { reference: 'scene-faded' }),
  recipe('HEIC', 'alpha-premultiplied', 'premultiplied alpha', heic(['--premultiplied-alpha'], multiplied), {
    reference: 'scene-faded',
    isMultiplied: true,
  }),
  recipe('HEIC', 'nclx-p3', 'nclx: Display P3', heicIn(12, 13, P3, 8), { space: P3 }),
  recipe('HEIC', 'nclx-bt2020', 'nclx: BT.2020, 10 bit', heicIn(9, 14, BT2020, 10), { space: BT2020 }),
  recipe('HEIC', 'nclx-pq', 'nclx: BT.2020 and PQ, 10 bit', heicIn(9, 16, PQ, 10), { space: PQ, ...HDR }),
  recipe('HEIC', 'nclx-hlg', 'nclx: BT.2020 and HLG, 10 bit', heicIn(9, 18, HLG, 10), { space: HLG, ...HDR }),
  recipe('HEIC', 'icc-v4', 'ICC profile, version 4, Display P3', profiledHeic, { space: P3 }),
  recipe('HEIC', 'grid', 'grid of 2x2', () => grid('heic', [WIDTH, HEIGHT])),
  recipe('HEIC', 'grid-turned', 'grid of 2x2, upside down', () => grid('heic', [WIDTH, HEIGHT], [irot(2)]), {
    reference: 'scene-turned',
  }),
];

/** Returns the items of another corpus file: its image, and its alpha if present. */
async function itemsOf(file: string): Promise<[picture: CodedItem, alpha: CodedItem | undefined]> {
  const [picture, alpha] = readItems(await readFile(new URL(`../files/${file}`, import.meta.url)));
  if (!picture) throw new Error('Expected a picture.');
  return [picture, alpha];
}

const withProperties = (item: CodedItem, ...more: readonly Buffer[]): CodedItem => ({
  ...item,
  properties: [...(item.properties ?? []), ...more],
});

const AS_ALPHA = { refers: [{ type: 'auxl', to: [1] }], hidden: true } as const;

async function primarySecond(): Promise<Buffer> {
  const [first] = await itemsOf('cropped.avif');
  const [second] = await itemsOf('still-8-444.avif');
  return writeHeif('avif', [withProperties(first, SRGB), withProperties(second, SRGB)], 2);
}

/** Creates an image whose alpha properties do not rotate it: those of the image apply to both. */
async function turnedAlpha(): Promise<Buffer> {
  const [picture, alpha] = await itemsOf('alpha.avif');
  if (!alpha) throw new Error('Expected alpha.');
  return writeHeif('avif', [withProperties(picture, SRGB, irot(2)), { ...alpha, ...AS_ALPHA }]);
}

/** Encodes a single channel in limited range with an encoder that does not support full range. */
async function limitedItem(depth: 8 | 10, valueAt: (x: number, y: number) => number): Promise<CodedItem> {
  const unit = 2 ** (depth - 8);
  const samples: number[] = [];
  for (let y = 0; y < HEIGHT; y++) {
    for (let x = 0; x < WIDTH; x++) samples.push(Math.round((16 + 219 * valueAt(x, y)) * unit));
  }
  const raw = depth === 8 ? Buffer.from(samples) : Buffer.from(Uint16Array.from(samples).buffer);
  const input = [
    '-f',
    'rawvideo',
    '-pix_fmt',
    depth === 8 ? 'gray' : 'gray10le',
    '-s',
    `${WIDTH}x${HEIGHT}`,
    '-i',
    'in.raw',
  ];
  const coding = ['-c:v', 'libaom-av1', '-still-picture', '1', '-crf', '2', '-color_range', 'tv'];
  const [item] = readItems(
    await withTools({ 'in.raw': raw }, [['ffmpeg', '-v', 'error', ...input, ...coding, 'out.avif']], 'out.avif'),
  );
  if (!item) throw new Error('Expected a picture.');
  return item;
}

async function limitedAlpha(): Promise<Buffer> {
  const [picture] = await itemsOf('still-8-444.avif');
  const alpha = await limitedItem(8, alphaAt);
  const name = fullBox('auxC', 0, 0, Buffer.from('urn:mpeg:mpegB:cicp:systems:auxiliary:alpha\0'));
  return writeHeif('avif', [withProperties(picture, SRGB), { ...withProperties(alpha, name), ...AS_ALPHA }]);
}

const limitedGrey =
  (depth: 8 | 10): Make =>
  async () =>
    writeHeif('avif', [withProperties(await limitedItem(depth, greyAt), nclx(1, 13, 6, false))]);

const BROWSER = { witness: 'Chromium' } as const;

const black: Colour = () => [0, 0, 0];
/** Spatial layers, as operating points name them. */
const LAYERS = { first: 0x101, two: 0x301, three: 0x701 } as const;

/**
 * Creates an image of layers.
 * @param chosen the properties that select among them
 */
function layered(layers: readonly Layer[], points: readonly number[], ...chosen: readonly Buffer[]): Make {
  return async () => writeHeif('avif', [withProperties(await layeredItem(layers, points), SRGB, ...chosen)]);
}

const LAYERED: Recipe[] = [
  recipe(
    'AVIF',
    'layers',
    'two layers, of which the second is shown',
    layered([{ colour: black }, { colour: sceneAt }], [LAYERS.two, LAYERS.first], lsel(0xffff)),
    BROWSER,
  ),
  recipe(
    'AVIF',
    'layers-two-of-three',
    'three layers, of which two are present, smaller than the image',
    layered(
      [
        { colour: black, isSmaller: true },
        { colour: sceneAt, isSmaller: true },
      ],
      [LAYERS.three, LAYERS.two, LAYERS.first],
    ),
    BROWSER,
  ),
  recipe(
    'AVIF',
    'layers-selected',
    'two layers, of which the first is shown (lsel)',
    layered([{ colour: sceneAt }, { colour: black }], [LAYERS.two, LAYERS.first], lsel(0)),
    BROWSER,
  ),
  recipe(
    'AVIF',
    'layers-point',
    'two layers, of which an operating point has the first (a1op)',
    layered([{ colour: sceneAt }, { colour: black }], [LAYERS.two, LAYERS.first], a1op(1)),
    BROWSER,
  ),
];

const OF_OTHERS: Recipe[] = [
  recipe('AVIF', 'primary-second', 'two images, of which the second is the primary one', primarySecond, BROWSER),
  recipe('AVIF', 'limited-grey', 'limited range, 4:0:0', limitedGrey(8), { ...BROWSER, reference: 'grey' }),
  recipe('AVIF', 'limited-grey-10', 'limited range, 4:0:0, 10 bit', limitedGrey(10), { ...BROWSER, reference: 'grey' }),
  recipe('AVIF', 'limited-alpha', 'alpha in limited range', limitedAlpha, { ...BROWSER, reference: 'scene-faded' }),
  recipe('AVIF', 'turned-alpha', 'upside down by irot of the colours alone', turnedAlpha, {
    witness: 'formula',
    reference: 'scene-faded-turned',
  }),
];

export const HEIF_RECIPES: readonly Recipe[] = [
  ...CODINGS,
  ...MATRICES,
  ...COLOURS,
  ...ALPHAS,
  ...turned('AVIF'),
  ...SHAPES,
  ...HEICS,
  ...turned('HEIC'),
  ...OF_OTHERS,
  ...LAYERED,
];
