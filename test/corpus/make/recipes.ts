import { readFile } from 'node:fs/promises';
import type { Pixels } from '../resample.ts';
import { GIF_RECIPES } from './gif-recipes.ts';
import { HEIF_RECIPES } from './heif-recipes.ts';
import { inkBytes, inkProfile, shownInks } from './inks.ts';
import { JPEG_RECIPES } from './jpeg-recipes.ts';
import { PNG_RECIPES } from './png-recipes.ts';
import { PSD_RECIPES } from './psd-recipes.ts';
import type { Recipe } from './recipe.ts';
import { TIFF_RECIPES } from './tiff-recipes.ts';
import { WEBP_RECIPES } from './webp-recipes.ts';

/** All files of the corpus, in the order of their table. */
export const RECIPES: readonly Recipe[] = [
  ...JPEG_RECIPES,
  ...PNG_RECIPES,
  ...WEBP_RECIPES,
  ...HEIF_RECIPES,
  ...GIF_RECIPES,
  ...PSD_RECIPES,
  ...TIFF_RECIPES,
];

const PRESS_PROFILE = new URL('../../../packages/image-files/src/profiles/press-cmyk.icc', import.meta.url);

/** References that several files share, by file name: no formula describes the colours of inks. */
export const SHARED_REFERENCES: Readonly<Record<string, () => Promise<Pixels>>> = {
  'inks.png': () => shownInks(inkBytes(), inkProfile()),
  'inks-press.png': async () => shownInks(inkBytes(), await readFile(PRESS_PROFILE)),
};
