import { plural } from './plural.ts';

/** What is said of variants that are made as soon as a file arrives. */
export const prewarmingMessages = {
  title: (folder: string) => `Prepare variants in ${folder}`,
  text: 'Made as soon as a picture or video arrives, so that nobody waits for them. Remembered for this folder.',
  presets: 'Presets',
  transformations: 'Transformations',
  hint: (most: number) => `One a line, such as w_800,f_webp; ${most} at most.`,
  unknown: (what: string) => `No transformation: ${what}`,
  tooMany: (count: number, most: number) => `${count} are too many: ${most} at most.`,
  save: 'Save',
  saved: (count: number) =>
    count === 0
      ? 'Nothing is prepared for new files here.'
      : `${plural(count, 'variant is', 'variants are')} prepared of each new file here.`,
};
