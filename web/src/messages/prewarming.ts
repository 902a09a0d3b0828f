import { plural } from './plural.ts';

export const prewarmingMessages = {
  title: (folder: string) => `Prepare variants in ${folder}`,
  text: 'Rendered when an image or video is uploaded. Saved for this folder in this browser.',
  presets: 'Presets',
  transformations: 'Transformations',
  hint: (most: number) => `One per line, such as w_800,f_webp. At most ${most}.`,
  unknown: (what: string) => `Unknown transformation: ${what}`,
  tooMany: (count: number, most: number) => `Too many transformations: ${count}, at most ${most}.`,
  save: 'Save',
  saved: (count: number) =>
    count === 0
      ? 'No variants are prepared in this folder.'
      : `${plural(count, 'variant is', 'variants are')} prepared for each new file in this folder.`,
};
