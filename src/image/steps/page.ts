import { integer } from '../../transformation/syntax.ts';
import { defineStep } from '../step.ts';

/** The highest page number that can be requested. */
export const MAX_PAGE = 10_000;

/** Which image of the file is decoded. It has no effect of its own: the file is opened at that page. */
export const page = defineStep({
  name: 'page',
  key: 'pg',
  syntax: integer(1, MAX_PAGE),
  default: 1,
  isLate: () => true,
  reference: {
    summary:
      'The page of a PDF or TIFF, or the frame of a GIF or WebP. Beyond the last one it is 400, which says how many there are. Files of other types have one page, and the parameter means nothing there.',
    examples: [],
  },
});
