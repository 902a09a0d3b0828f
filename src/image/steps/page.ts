import { integer } from '../../transformation/syntax.ts';
import { defineStep } from '../step.ts';

/** The highest page number that can be requested. */
const MAX_PAGE = 10_000;

/** Which image of the file is decoded. It has no effect of its own: the file is opened at that page. */
export const page = defineStep({
  name: 'page',
  key: 'pg',
  syntax: integer(1, MAX_PAGE),
  default: 1,
  isLate: () => true,
  reference: {
    summary:
      'Page of a PDF or TIFF, or frame of a GIF or WebP. A number beyond the last one is 400, with the number of pages in the message. Files of other types have one page and ignore the parameter.',
    examples: [],
  },
});
