import sharp from 'sharp';
import type { Pixels } from '../resample.ts';
import { HEIGHT, WIDTH } from '../scene.ts';
import { type Space, toSrgb } from '../spaces.ts';
import type { Recipe, Witness } from './recipe.ts';
import { withTools } from './tools.ts';

const MAGICK = '/usr/bin/convert';
const PYTHON = '/usr/bin/python3';
const PRESS_PROFILE = new URL('../../../packages/image-files/src/profiles/press-cmyk.icc', import.meta.url).pathname;
type Commands = (file: string) => readonly (readonly string[])[];

const PAGE = '<body style="margin:0"><img src="FILE" style="display:block">';
const BROWSER_OPTIONS = [
  ...['--headless', '--no-sandbox', '--hide-scrollbars', '--force-color-profile=srgb'],
  ...['--default-background-color=00000000', `--window-size=${WIDTH},${HEIGHT}`],
];

/** Commands that write `out.png` with the numbers of the file, unless Little CMS converted them to sRGB. */
const COMMANDS: Readonly<Record<Exclude<Witness, 'formula'>, Commands>> = {
  avifdec: (file) => [['avifdec', '--depth', '16', file, 'out.png']],
  Chromium: (file) => [
    ['sh', '-c', `printf '%s' '${PAGE.replace('FILE', file)}' > page.html`],
    ['chromium', ...BROWSER_OPTIONS, '--screenshot=out.png', 'page.html'],
  ],
  djpeg: (file) => [
    ['djpeg', '-outfile', 'out.ppm', file],
    [MAGICK, 'out.ppm', 'PNG32:out.png'],
  ],
  ffmpeg: (file) => [['ffmpeg', '-v', 'error', '-i', file, '-pix_fmt', 'rgba', 'out.png']],
  dwebp: (file) => [['dwebp', file, '-o', 'out.png']],
  'heif-convert': (file) => [['heif-convert', file, 'out.png']],
  ImageMagick: (file) => [
    [MAGICK, `${file}[0]`, '-auto-orient', '+profile', '*', '-set', 'colorspace', 'sRGB', '-strip', 'PNG64:out.png'],
  ],
  'ImageMagick, layers': (file) => [
    [MAGICK, file, '-delete', '0', '-background', 'none', '-layers', 'merge', '+repage', 'PNG64:out.png'],
  ],
  jpeg: (file) => [
    ['jpeg', file, 'out.ppm'],
    [MAGICK, 'out.ppm', 'PNG64:out.png'],
  ],
  Pillow: (file) => [[PYTHON, '-c', PILLOW, file, 'out.png']],
  'Pillow, Little CMS': (file) => [[PYTHON, '-c', PILLOW_CMS, file, 'out.png', PRESS_PROFILE]],
};

const PILLOW = `
import sys
from PIL import Image, ImageOps
ImageOps.exif_transpose(Image.open(sys.argv[1])).convert('RGBA').save(sys.argv[2], icc_profile=None)
`;

const PILLOW_CMS = `
import io, sys
from PIL import Image, ImageCms, ImageOps
picture = Image.open(sys.argv[1])
known = picture.info.get('icc_profile')
own = io.BytesIO(known) if known else sys.argv[3] if picture.mode == 'CMYK' else None
icc = ImageCms.ImageCmsProfile(own) if own else ImageCms.createProfile('LAB')
if picture.mode not in ('L', 'RGB', 'CMYK', 'LAB'): picture = picture.convert('RGB')
picture = ImageCms.profileToProfile(ImageOps.exif_transpose(picture), icc, ImageCms.createProfile('sRGB'), 0, 'RGB')
picture.convert('RGBA').save(sys.argv[2], icc_profile=None)
`;

/** Returns the output of the second decoder of a recipe. */
export async function testify(
  { file, witness, space, isMultiplied = false }: Recipe,
  bytes: Buffer,
): Promise<Pixels | undefined> {
  if (witness === 'formula') return undefined;
  const png = await withTools({ [file]: bytes }, COMMANDS[witness](file), 'out.png');
  return inSrgb(png, space, isMultiplied);
}

/** Converts a PNG with the numbers of a colour space to sRGB. */
async function inSrgb(png: Buffer, space: Space | undefined, isMultiplied: boolean): Promise<Pixels> {
  // Reads the raw numbers: no library of the service converts them.
  const picture = sharp(png, { ignoreIcc: true });
  const isDeep = (await picture.metadata()).depth === 'ushort';
  const numbers = picture.toColourspace(isDeep ? 'rgb16' : 'srgb').ensureAlpha();
  const raw = await numbers.raw({ depth: isDeep ? 'ushort' : 'uchar' }).toBuffer({ resolveWithObject: true });
  const { width, height } = raw.info;
  const samples = isDeep ? new Uint16Array(raw.data.buffer, raw.data.byteOffset, raw.data.length / 2) : raw.data;
  const most = isDeep ? 65_535 : 255;
  const data = new Uint8ClampedArray(width * height * 4);
  for (let at = 0; at < data.length; at += 4) {
    const number = (index: number) => (samples[at + index] ?? 0) / most;
    const share = isMultiplied ? Math.max(number(3), 1 / most) : 1;
    const colour = [number(0) / share, number(1) / share, number(2) / share] as const;
    data.set(
      (space ? toSrgb(colour, space) : colour).map((value) => value * 255),
      at,
    );
    data[at + 3] = number(3) * 255;
  }
  return { width, height, data };
}
