import type { Triple } from '../../pictures/colours.ts';
import { alphaAt, greyAt, HEIGHT, indexedScene, isSolid, sceneAt, WIDTH } from '../scene.ts';
import { fromSrgb, gamma, PRIMARIES, type Primaries, type Space, TRANSFERS } from '../spaces.ts';
import { halves, orientationExif, type PngPicture, pngChunk, pngData, profileChunk, words, writePng } from './png.ts';
import { greyProfile, rgbProfile } from './profiles.ts';
import type { Recipe, Witness } from './recipe.ts';
import { storedAs } from './tools.ts';

const SIZE = { width: WIDTH, height: HEIGHT };

type Colour = (x: number, y: number) => readonly number[];
const grey: Colour = (x, y) => [greyAt(x, y)];
const faded =
  (colour: Colour): Colour =>
  (x, y) => [...colour(x, y), alphaAt(x, y)];

/** Converts numbers of 0 to 1 to samples. At 16 bits the steps are those of 10, so that the files stay small. */
function samplesOf(colour: Colour, depth: PngPicture['depth']): PngPicture['samples'] {
  const most = 2 ** depth - 1;
  const quantised = depth === 16 ? (value: number) => Math.round(value * 1023) / 1023 : (value: number) => value;
  return (x, y) => colour(x, y).map((value) => Math.round(quantised(value) * most));
}

function png(colour: Colour, type: PngPicture['type'], depth: PngPicture['depth'], more: Partial<PngPicture> = {}) {
  return () => writePng({ ...SIZE, type, depth, samples: samplesOf(colour, depth), ...more });
}

function recipe(
  name: string,
  what: string,
  reference: string,
  make: Recipe['make'],
  witness: Witness,
  more: Partial<Recipe> = {},
): Recipe {
  return { file: `${name}.png`, kind: 'PNG', what, reference, make, witness, ...more };
}

/** Grey, 1 to 16 bits, each with the other representations of transparency. */
const GREYS: Recipe[] = [
  ...([1, 2, 4] as const).map((bits) =>
    recipe(`grey-${bits}`, `grey, ${bits} bit`, `grey-${bits}`, png(grey, 0, bits), 'Pillow'),
  ),
  recipe('grey-8', 'grey, 8 bit', 'grey', png(grey, 0, 8), 'Pillow'),
  recipe('grey-16', 'grey, 16 bit', 'grey', png(grey, 0, 16), 'ImageMagick'),
  recipe('grey-8-interlaced', 'grey, 8 bit, interlaced', 'grey', png(grey, 0, 8, { interlaced: true }), 'Pillow'),
  recipe('grey-1-interlaced', 'grey, 1 bit, interlaced', 'grey-1', png(grey, 0, 1, { interlaced: true }), 'Pillow'),
  recipe('grey-alpha-8', 'grey and alpha, 8 bit', 'grey-faded', png(faded(grey), 4, 8), 'Pillow'),
  recipe('grey-alpha-16', 'grey and alpha, 16 bit', 'grey-faded', png(faded(grey), 4, 16), 'ImageMagick'),
  recipe(
    'grey-key',
    'grey, 8 bit, one transparent value (tRNS)',
    'grey-holed',
    // No grey of the scene has the value 77 after this shift.
    () =>
      writePng({
        ...SIZE,
        type: 0,
        depth: 8,
        samples: (x, y) => [isSolid(x, y) ? avoid(Math.round(greyAt(x, y) * 255), 77) : 77],
        chunks: [pngChunk('tRNS', halves(77))],
      }),
    'Pillow',
  ),
];

const avoid = (value: number, key: number) => (value === key ? value + 1 : value);

const palette = (colours: readonly Triple[]) => pngChunk('PLTE', Buffer.from(colours.flat()));

function indexed(bits: 1 | 2 | 4 | 8, more: Partial<PngPicture> = {}): () => Buffer {
  const { colours, at } = indexedScene(bits);
  return () =>
    writePng({ ...SIZE, type: 3, depth: bits, samples: (x, y) => [at(x, y)], chunks: [palette(colours)], ...more });
}

/**
 * Creates a palette with one additional, transparent colour; two palettes of 126 colours, the second half as opaque,
 * would not test more.
 */
function indexedWithHole(interlaced: boolean): () => Buffer {
  const { colours, at } = indexedScene(8);
  const hole = colours.length;
  const opacities = Buffer.alloc(hole + 1, 255);
  opacities[hole] = 0;
  const chunks = [palette([...colours, [1, 2, 3]]), pngChunk('tRNS', opacities)];
  const samples = (x: number, y: number) => [isSolid(x, y) ? at(x, y) : hole];
  return () => writePng({ ...SIZE, type: 3, depth: 8, samples, chunks, interlaced });
}

const PALETTES: Recipe[] = [
  ...([1, 2, 4, 8] as const).map((bits) =>
    recipe(`palette-${bits}`, `palette, ${bits} bit`, `indexed-${bits}`, indexed(bits), 'Pillow'),
  ),
  recipe('palette-4-interlaced', 'palette, 4 bit, interlaced', 'indexed-4', indexed(4, { interlaced: true }), 'Pillow'),
  recipe(
    'palette-hole',
    'palette with a transparent colour (tRNS)',
    'indexed-8-holed',
    indexedWithHole(false),
    'Pillow',
  ),
  recipe(
    'palette-hole-interlaced',
    'palette with a transparent colour, interlaced',
    'indexed-8-holed',
    indexedWithHole(true),
    'Pillow',
  ),
];

const COLOURS: Recipe[] = [
  recipe('rgb-8', 'RGB, 8 bit', 'scene', png(sceneAt, 2, 8), 'Pillow'),
  recipe('rgb-16', 'RGB, 16 bit', 'scene', png(sceneAt, 2, 16), 'ImageMagick'),
  recipe('rgb-8-interlaced', 'RGB, 8 bit, interlaced', 'scene', png(sceneAt, 2, 8, { interlaced: true }), 'Pillow'),
  recipe('rgba-8', 'RGBA, 8 bit', 'scene-faded', png(faded(sceneAt), 6, 8), 'Pillow'),
  recipe('rgba-16', 'RGBA, 16 bit', 'scene-faded', png(faded(sceneAt), 6, 16), 'ImageMagick'),
  recipe(
    'rgba-16-interlaced',
    'RGBA, 16 bit, interlaced',
    'scene-faded',
    png(faded(sceneAt), 6, 16, { interlaced: true }),
    'ImageMagick',
  ),
  recipe(
    'rgb-key',
    'RGB, 8 bit, one transparent colour (tRNS)',
    'scene-holed',
    () =>
      writePng({
        ...SIZE,
        type: 2,
        depth: 8,
        samples: (x, y) => (isSolid(x, y) ? sceneAt(x, y).map((value) => Math.round(value * 255)) : [1, 254, 3]),
        chunks: [pngChunk('tRNS', halves(1, 254, 3))],
      }),
    'Pillow',
  ),
  ...[1, 2, 3, 4, 5, 6, 7, 8].map((orientation) =>
    recipe(
      `orientation-${orientation}`,
      `EXIF orientation ${orientation} (eXIf)`,
      'scene',
      () => {
        const { colour, width, height } = storedAs(orientation);
        const chunks = [pngChunk('eXIf', orientationExif(orientation))];
        return writePng({ width, height, type: 2, depth: 8, samples: samplesOf(colour, 8), chunks });
      },
      'Pillow',
    ),
  ),
  recipe('animated', 'APNG: its first frame', 'scene', animated, 'Pillow'),
];

/** Creates two frames; the second one is black. Source: PNG 3rd edition, 11.3.4. */
function animated(): Buffer {
  const black = { ...SIZE, type: 2, depth: 8, samples: () => [0, 0, 0] } as const;
  const control = (sequence: number) => {
    const rest = Buffer.concat([halves(1, 10), Buffer.from([0, 0])]);
    return pngChunk('fcTL', Buffer.concat([words(sequence, WIDTH, HEIGHT, 0, 0), rest]));
  };
  const second = pngChunk('fdAT', Buffer.concat([words(2), pngData(black)]));
  return png(sceneAt, 2, 8, {
    chunks: [pngChunk('acTL', words(2, 0)), control(0)],
    trailer: [control(1), second],
  })();
}

const gammaChunk = (value: number) => pngChunk('gAMA', words(Math.round(value * 100_000)));

function whiteAndPrimaries(primaries: Primaries): Buffer {
  const points = [0.3127, 0.329, ...PRIMARIES[primaries].flat()];
  return pngChunk('cHRM', words(...points.map((value) => Math.round(value * 100_000))));
}

/** Code points of ITU-T H.273: primaries, transfer; RGB, full range. */
const codePoints = (primaries: number, transfer: number) => pngChunk('cICP', Buffer.from([primaries, transfer, 0, 1]));

const P3: Space = { primaries: 'p3', transfer: TRANSFERS.srgb };
const ADOBE: Space = { primaries: 'adobe', transfer: gamma(563 / 256) };

/** Creates the scene in another colour space, declared by chunks. */
function spaced(name: string, what: string, space: Space, depth: 8 | 16, chunks: Buffer[], more: Partial<Recipe> = {}) {
  const colour = (x: number, y: number) => fromSrgb(sceneAt(x, y), space);
  return recipe(name, what, 'scene', png(colour, 2, depth, { chunks }), 'ImageMagick', { space, ...more });
}

const inGamma = (exponent: number): Space => ({ primaries: 'srgb', transfer: gamma(exponent) });
const greyIn =
  (exponent: number): Colour =>
  (x, y) => [fromSrgb(Array(3).fill(greyAt(x, y)) as unknown as Triple, inGamma(exponent))[0]];

const SPACES: Recipe[] = [
  recipe(
    'srgb',
    'sRGB chunk, which is stronger than gAMA',
    'scene',
    png(sceneAt, 2, 8, { chunks: [gammaChunk(1), pngChunk('sRGB', Buffer.from([0]))] }),
    'Pillow',
  ),
  spaced('gama-2.2', 'gAMA 1/2.2', inGamma(2.2), 8, [gammaChunk(1 / 2.2)]),
  spaced('gama-1.8', 'gAMA 1/1.8', inGamma(1.8), 8, [gammaChunk(1 / 1.8)]),
  spaced('gama-linear', 'gAMA 1, 16 bit', inGamma(1), 16, [gammaChunk(1)]),
  spaced('chrm-p3', 'gAMA 1/2.2 and cHRM of P3', { primaries: 'p3', transfer: gamma(2.2) }, 8, [
    gammaChunk(1 / 2.2),
    whiteAndPrimaries('p3'),
  ]),
  spaced('chrm-bt2020', 'gAMA 1/2.2 and cHRM of BT.2020, 16 bit', { primaries: 'bt2020', transfer: gamma(2.2) }, 16, [
    gammaChunk(1 / 2.2),
    whiteAndPrimaries('bt2020'),
  ]),
  spaced('icc-v2', 'ICC profile, version 2, Adobe RGB', ADOBE, 8, [profileChunk(rgbProfile(2, 'adobe', 563 / 256))]),
  spaced('icc-v4', 'ICC profile, version 4, Display P3', P3, 8, [profileChunk(rgbProfile(4, 'p3', 'srgb'))]),
  spaced('icc-v4-16', 'ICC profile, version 4, Display P3, 16 bit', P3, 16, [
    profileChunk(rgbProfile(4, 'p3', 'srgb')),
  ]),
  spaced('icc-beats-gama', 'ICC profile, which is stronger than gAMA', P3, 8, [
    gammaChunk(1),
    profileChunk(rgbProfile(4, 'p3', 'srgb')),
  ]),
  recipe(
    'icc-vivid',
    'ICC profile, Display P3, with colours that sRGB does not have',
    'scene-p3',
    png(sceneAt, 2, 8, { chunks: [profileChunk(rgbProfile(4, 'p3', 'srgb'))] }),
    'Pillow, Little CMS',
  ),
  recipe(
    'icc-grey-v2',
    'grey with an ICC profile, version 2, gamma 1.8',
    'grey',
    png(greyIn(1.8), 0, 8, { chunks: [profileChunk(greyProfile(2, 1.8))] }),
    'ImageMagick',
    { space: inGamma(461 / 256) },
  ),
  recipe(
    'icc-grey-16',
    'grey, 16 bit, with an ICC profile, version 4, gamma 1.8',
    'grey',
    png(greyIn(1.8), 0, 16, { chunks: [profileChunk(greyProfile(4, 1.8))] }),
    'ImageMagick',
    { space: inGamma(461 / 256) },
  ),
  spaced('cicp-p3', 'cICP: P3', P3, 8, [codePoints(12, 13)]),
  spaced('cicp-beats-icc', 'cICP of P3, which is stronger than an ICC profile', P3, 8, [
    codePoints(12, 13),
    profileChunk(rgbProfile(2, 'adobe', 563 / 256)),
  ]),
  spaced('cicp-linear', 'cICP: BT.709, linear, 16 bit', inGamma(1), 16, [codePoints(1, 8)]),
  spaced(
    'cicp-bt2020',
    'cICP: BT.2020, transfer of sRGB, 16 bit',
    { primaries: 'bt2020', transfer: TRANSFERS.srgb },
    16,
    [codePoints(9, 13)],
  ),
  spaced(
    'cicp-hlg',
    'cICP: BT.2020, HLG, 16 bit',
    { primaries: 'bt2020', transfer: TRANSFERS.hlg },
    16,
    [codePoints(9, 18)],
    { reference: 'scene-hdr', toneMapped: true },
  ),
  spaced(
    'cicp-pq',
    'cICP: BT.2020, PQ, 16 bit',
    { primaries: 'bt2020', transfer: TRANSFERS.pq },
    16,
    [codePoints(9, 16)],
    { reference: 'scene-hdr', toneMapped: true },
  ),
];

export const PNG_RECIPES: readonly Recipe[] = [...GREYS, ...PALETTES, ...COLOURS, ...SPACES];
