import { withJpegProfile } from '@darkroom/image-files/decoded-image';
import type { Triple } from '../../pictures/colours.ts';
import { greyAt, HEIGHT, sceneAt, WIDTH } from '../scene.ts';
import { fromSrgb, gamma, type Space, TRANSFERS } from '../spaces.ts';
import { inkBytes, inkProfile } from './inks.ts';
import { exifSegment, multiPicture, withSegments } from './jpeg.ts';
import { greyProfile, rgbProfile } from './profiles.ts';
import type { Recipe, Witness } from './recipe.ts';
import { portable, storedAs, withTools } from './tools.ts';

type Make = () => Promise<Buffer>;

const grey = (x: number, y: number) => [greyAt(x, y)];
const QUALITY = ['-quality', '97'];
const FULL_CHROMA = ['-sample', '1x1'];

/** Encodes a PPM with libjpeg-turbo. */
function cjpeg(options: readonly string[] = FULL_CHROMA, picture = () => portable()): Make {
  return () =>
    withTools({ 'in.ppm': picture() }, [['cjpeg', ...QUALITY, ...options, '-outfile', 'out.jpg', 'in.ppm']], 'out.jpg');
}

/** Encodes a PPM with the reference software of JPEG, which supports all of T.81. */
function jpeg(options: readonly string[], picture = () => portable()): Make {
  return () => withTools({ 'in.ppm': picture() }, [['jpeg', ...options, 'in.ppm', 'out.jpg']], 'out.jpg');
}

function recipe(
  name: string,
  what: string,
  make: Make,
  { witness = 'djpeg', reference = 'scene', file = `${name}.jpg`, ...more }: Partial<Recipe> = {},
): Recipe {
  return { file, kind: 'JPEG', what, reference, make, witness, ...more };
}

const CODINGS: Recipe[] = [
  recipe('baseline-444', 'baseline, 4:4:4', cjpeg()),
  recipe('baseline-422', 'baseline, 4:2:2', cjpeg(['-sample', '2x1'])),
  recipe('baseline-420', 'baseline, 4:2:0', cjpeg(['-sample', '2x2'])),
  recipe('baseline-440', 'baseline, 4:4:0', cjpeg(['-sample', '1x2'])),
  recipe('baseline-411', 'baseline, 4:1:1', cjpeg(['-sample', '4x1'])),
  recipe(
    'grey',
    'grey',
    cjpeg(['-grayscale'], () => portable(grey)),
    { reference: 'grey' },
  ),
  recipe('rgb', 'RGB instead of YCbCr (Adobe transform 0)', cjpeg(['-rgb'])),
  recipe('progressive', 'progressive', cjpeg(['-progressive', ...FULL_CHROMA])),
  recipe(
    'progressive-grey',
    'progressive, grey',
    cjpeg(['-progressive', '-grayscale'], () => portable(grey)),
    { reference: 'grey' },
  ),
  recipe('arithmetic', 'arithmetic coding', cjpeg(['-arithmetic', ...FULL_CHROMA])),
  recipe(
    'arithmetic-progressive',
    'arithmetic coding, progressive',
    cjpeg(['-arithmetic', '-progressive', '-sample', '2x2']),
  ),
  recipe('restart', 'a restart marker after each row of blocks', cjpeg(['-restart', '1', ...FULL_CHROMA])),
  recipe(
    'restart-blocks',
    'a restart marker after every third block, 4:2:0',
    cjpeg(['-restart', '3B', '-sample', '2x2']),
  ),
  recipe(
    'restart-progressive',
    'progressive with restart markers',
    cjpeg(['-restart', '1', '-progressive', '-sample', '2x2']),
  ),
  recipe(
    'odd-size',
    '233x157 pixels, 4:2:0',
    cjpeg(['-sample', '2x2'], () => portable(sceneAt, { width: 233, height: 157 })),
    { reference: 'scene-odd' },
  ),
];

/** Damaged files that browsers and other decoders still render. */
const DAMAGED: Recipe[] = [
  recipe('no-end', 'without the marker of its end', async () => (await cjpeg()()).subarray(0, -2), {
    witness: 'ffmpeg',
  }),
  recipe(
    'icc-lab',
    'ICC profile for Lab, which says nothing about RGB',
    async () => withJpegProfile(await cjpeg()(), forLab()),
    {
      witness: 'ffmpeg',
    },
  ),
];

function forLab(): Buffer {
  const icc = rgbProfile(2, 'adobe', 563 / 256);
  icc.write('Lab ', 16, 'latin1');
  return icc;
}

const lossless = (options: readonly string[], picture?: () => Buffer) => jpeg(['-p', '-c', '-h', ...options], picture);
const deepGrey = (most: number) => () => portable(grey, { most });

const LOSSLESS: Recipe[] = [
  recipe('lossless', 'lossless (SOF3), RGB', lossless([]), { witness: 'jpeg' }),
  recipe(
    'lossless-grey',
    'lossless (SOF3), grey',
    lossless([], () => portable(grey)),
    { witness: 'jpeg', reference: 'grey' },
  ),
  recipe('lossless-grey-12', 'lossless (SOF3), grey, 12 bit', lossless([], deepGrey(4095)), {
    refused: true,
    witness: 'jpeg',
    reference: 'grey',
  }),
  recipe('lossless-grey-16', 'lossless (SOF3), grey, 16 bit', lossless([], deepGrey(65_535)), {
    refused: true,
    witness: 'jpeg',
    reference: 'grey',
  }),
  recipe('lossless-restart', 'lossless (SOF3), RGB, with restart markers', lossless(['-z', String(WIDTH)]), {
    witness: 'jpeg',
  }),
  recipe(
    'extended-12',
    'extended (SOF1), 12 bit',
    jpeg(['-q', '97', '-h'], () => portable(sceneAt, { most: 4095 })),
    { refused: true, witness: 'jpeg' },
  ),
];

/** Creates a JPEG of four inks, inverted and with Adobe's segment, as is common. */
const cmyk: Make = () =>
  withTools({ 'in.raw': inkBytes() }, [['/usr/bin/python3', '-c', SAVE_INKS, `${WIDTH}`, `${HEIGHT}`]], 'out.jpg');

const SAVE_INKS = `
import sys
from PIL import Image
picture = Image.frombytes('CMYK', (int(sys.argv[1]), int(sys.argv[2])), open('in.raw', 'rb').read())
picture.save('out.jpg', quality=97, subsampling=0)
`;

/** Creates the same with cyan, magenta and yellow converted to luma and chroma. */
const ycck: Make = () => {
  const read = ['-size', `${WIDTH}x${HEIGHT}`, '-depth', '8', 'cmyk:in.raw'];
  const write = ['-sampling-factor', '1x1', '-quality', '97', 'out.jpg'];
  return withTools({ 'in.raw': inkBytes() }, [['/usr/bin/convert', ...read, ...write]], 'out.jpg');
};

const withInkProfile = async (jpeg: Promise<Buffer>) => withJpegProfile(await jpeg, inkProfile());

const INKS: Recipe[] = [
  recipe('cmyk', 'CMYK without a profile', cmyk, {
    witness: 'Pillow, Little CMS',
    reference: 'inks-press.png',
  }),
  recipe('ycck', 'YCCK without a profile', ycck, {
    witness: 'Pillow, Little CMS',
    reference: 'inks-press.png',
  }),
  recipe('cmyk-icc', 'CMYK with a profile', () => withInkProfile(cmyk()), {
    witness: 'Pillow, Little CMS',
    reference: 'inks.png',
  }),
  recipe('ycck-icc', 'YCCK with a profile', () => withInkProfile(ycck()), {
    witness: 'Pillow, Little CMS',
    reference: 'inks.png',
  }),
];

const P3: Space = { primaries: 'p3', transfer: TRANSFERS.srgb };
const ADOBE: Space = { primaries: 'adobe', transfer: gamma(563 / 256) };
const BT2020: Space = { primaries: 'bt2020', transfer: TRANSFERS.srgb };
const GREY18 = gamma(461 / 256);

function profiled(space: Space, icc: () => Buffer, options?: readonly string[]): Make {
  const make = cjpeg(options, () => portable((x, y) => fromSrgb(sceneAt(x, y), space)));
  return async () => withJpegProfile(await make(), icc());
}

const profiledGrey: Make = async () => {
  const light = (value: number): Triple => [value, value, value];
  const space: Space = { primaries: 'srgb', transfer: GREY18 };
  const make = cjpeg(['-grayscale'], () => portable((x, y) => [fromSrgb(light(greyAt(x, y)), space)[0]]));
  return withJpegProfile(await make(), greyProfile(2, 461 / 256));
};

const LITTLE_CMS: Witness = 'Pillow, Little CMS';
const COLOURS: Recipe[] = [
  recipe(
    'icc-v2',
    'ICC profile, version 2, Adobe RGB',
    profiled(ADOBE, () => rgbProfile(2, 'adobe', 563 / 256)),
    { witness: LITTLE_CMS },
  ),
  recipe(
    'icc-v4',
    'ICC profile, version 4, Display P3',
    profiled(P3, () => rgbProfile(4, 'p3', 'srgb')),
    { witness: LITTLE_CMS },
  ),
  recipe(
    'icc-bt2020',
    'ICC profile, version 4, BT.2020',
    profiled(BT2020, () => rgbProfile(4, 'bt2020', 'srgb')),
    { witness: LITTLE_CMS },
  ),
  recipe(
    'icc-vivid',
    'ICC profile, Display P3, with colours that sRGB does not have',
    async () => withJpegProfile(await cjpeg()(), rgbProfile(4, 'p3', 'srgb')),
    { witness: LITTLE_CMS, reference: 'scene-p3' },
  ),
  recipe('icc-grey', 'grey with an ICC profile, gamma 1.8', profiledGrey, { witness: LITTLE_CMS, reference: 'grey' }),
  recipe(
    'icc-progressive',
    'progressive with an ICC profile',
    profiled({ primaries: 'p3', transfer: ADOBE.transfer }, () => rgbProfile(2, 'p3', 563 / 256), [
      '-progressive',
      ...FULL_CHROMA,
    ]),
    { witness: LITTLE_CMS },
  ),
];

const TURNS: Recipe[] = [1, 2, 3, 4, 5, 6, 7, 8].map((orientation) => {
  const { colour, ...size } = storedAs(orientation);
  const make = cjpeg(FULL_CHROMA, () => portable(colour, size));
  return recipe(
    `orientation-${orientation}`,
    `EXIF orientation ${orientation}`,
    async () => withSegments(await make(), exifSegment(orientation)),
    { witness: 'Pillow' },
  );
});

const SEVERAL: Recipe[] = [
  recipe(
    'multi-picture',
    'several images (MPO): the first one',
    async () => {
      const second = await cjpeg(FULL_CHROMA, () => portable(() => [0, 0, 0]))();
      return multiPicture(await cjpeg()(), second);
    },
    { witness: 'Pillow' },
  ),
];

export const JPEG_RECIPES: readonly Recipe[] = [
  ...CODINGS,
  ...DAMAGED,
  ...LOSSLESS,
  ...INKS,
  ...COLOURS,
  ...TURNS,
  ...SEVERAL,
];
