import { type TiffKind, tiffKind } from '../../pictures/tiff-kinds.ts';
import { alphaAt, greyAt, HEIGHT, sceneAt, WIDTH } from '../scene.ts';
import { fromSrgb, labOfD50, type Space, TRANSFERS } from '../spaces.ts';
import { rgbProfile } from './profiles.ts';
import type { Recipe } from './recipe.ts';

type Colour = (x: number, y: number) => readonly number[];

const PHOTOMETRIC = { whiteIsZero: 0, blackIsZero: 1, rgb: 2, cieLab: 8, iccLab: 9 } as const;
const SIZE = { width: WIDTH, height: HEIGHT };
const DEFLATE = 8;
const TILE = { width: 64, height: 48 };
/** ExtraSamples: unassociated alpha. */
const STRAIGHT = 2;

const grey: Colour = (x, y) => [greyAt(x, y)];
const negative: Colour = (x, y) => [1 - greyAt(x, y)];
const faded: Colour = (x, y) => [...sceneAt(x, y), alphaAt(x, y)];
const P3: Space = { primaries: 'p3', transfer: TRANSFERS.srgb };
const inP3: Colour = (x, y) => fromSrgb(sceneAt(x, y), P3);

function recipe(
  name: string,
  what: string,
  colour: Colour,
  page: Partial<TiffKind> & { bits: number },
  more: Partial<Recipe> = {},
): Recipe {
  const channels = colour(0, 0).length;
  const most = 2 ** page.bits - 1;
  const make = () =>
    tiffKind({
      ...SIZE,
      channels,
      photometric: channels === 1 ? PHOTOMETRIC.blackIsZero : PHOTOMETRIC.rgb,
      compression: DEFLATE,
      sample: (x, y, channel) => Math.round((colour(x, y)[channel] ?? 0) * most),
      ...page,
    });
  return { file: `${name}.tif`, kind: 'TIFF', what, reference: 'scene', witness: 'formula', make, ...more };
}

/** Encodes Lab of white D50 as samples: signed colours (CIE), or offset ones (ICC). */
function lab(bits: 8 | 16, isIcc: boolean): TiffKind['sample'] {
  const unit = bits === 8 ? 1 : 256;
  const white = bits === 8 ? 255 : isIcc ? 0xff00 : 0xffff;
  return (x, y, channel) => {
    if (channel === 3) return Math.round(alphaAt(x, y) * (2 ** bits - 1));
    const [lightness, a, b] = labOfD50(sceneAt(x, y));
    if (channel === 0) return Math.round((lightness / 100) * white);
    const value = Math.round(Math.min(127, Math.max(-128, channel === 1 ? a : b)) * unit);
    return isIcc ? value + 128 * unit : value & (2 ** bits - 1);
  };
}

const GREY = { reference: 'grey' } as const;
const FADED = { reference: 'scene-faded' } as const;
const REFUSED = { refused: true } as const;

export const TIFF_RECIPES: readonly Recipe[] = [
  recipe('rgb-8', 'RGB, 8 bit', sceneAt, { bits: 8 }),
  recipe('rgb-16', 'RGB, 16 bit, the high byte first', sceneAt, { bits: 16, isBigEndian: true }),
  recipe('grey-12', 'grey, 12 bit', grey, { bits: 12 }, GREY),
  recipe(
    'grey-10-white',
    'grey, 10 bit, white is zero',
    negative,
    { bits: 10, photometric: PHOTOMETRIC.whiteIsZero },
    GREY,
  ),
  recipe('rgb-6', 'RGB, 6 bit', sceneAt, { bits: 6 }),
  recipe('rgb-10', 'RGB, 10 bit, strips of 7 rows, BigTIFF', sceneAt, { bits: 10, rowsPerStrip: 7, isBig: true }),
  recipe('rgb-12', 'RGB, 12 bit, tiles', sceneAt, { bits: 12, tile: TILE }),
  recipe('rgb-14', 'RGB, 14 bit, the lowest bit first', sceneAt, { bits: 14, lowestBitFirst: true }),
  recipe('rgb-12-icc', 'RGB, 12 bit, ICC profile, Display P3', inP3, { bits: 12, icc: rgbProfile(4, 'p3', 'srgb') }),
  recipe('rgb-12-alpha', 'RGB, 12 bit, alpha', faded, { bits: 12, extraSamples: STRAIGHT }, FADED),
  recipe('planes-8', 'RGB, 8 bit, planes in tiles', sceneAt, {
    bits: 8,
    isPlanar: true,
    tile: TILE,
    isPredicted: true,
  }),
  recipe('planes-16', 'RGB, 16 bit, planes in tiles', sceneAt, { bits: 16, isPlanar: true, tile: TILE }),
  recipe(
    'planes-alpha',
    'RGB, 8 bit, alpha, planes in tiles',
    faded,
    { bits: 8, isPlanar: true, tile: TILE, extraSamples: STRAIGHT },
    FADED,
  ),
  recipe('lab-8', 'CIE Lab, 8 bit', sceneAt, { bits: 8, photometric: PHOTOMETRIC.cieLab, sample: lab(8, false) }),
  recipe('lab-16', 'CIE Lab, 16 bit', sceneAt, { bits: 16, photometric: PHOTOMETRIC.cieLab, sample: lab(16, false) }),
  recipe(
    'lab-alpha',
    'CIE Lab, 8 bit, alpha',
    faded,
    { bits: 8, photometric: PHOTOMETRIC.cieLab, extraSamples: STRAIGHT, sample: lab(8, false) },
    FADED,
  ),
  recipe('lab-icc', 'ICC Lab, 8 bit', sceneAt, { bits: 8, photometric: PHOTOMETRIC.iccLab, sample: lab(8, true) }),
  recipe('lab-icc-16', 'ICC Lab, 16 bit', sceneAt, {
    bits: 16,
    photometric: PHOTOMETRIC.iccLab,
    sample: lab(16, true),
  }),
  recipe('half-float', 'half floats', grey, { bits: 16, sampleFormat: 3 }, REFUSED),
  recipe('signed', 'signed samples, 8 bit', grey, { bits: 8, sampleFormat: 2 }, REFUSED),
];
