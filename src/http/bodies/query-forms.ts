import { z } from 'zod';
import { splitWords } from '../../path.ts';

/** Each word costs a look-up of its own. */
const MAX_SEARCHED_WORDS = 16;

/** A whole number in a query, which arrives as text; the OpenAPI document shows a number. */
export const wholeNumber = (min: number, max = Number.MAX_SAFE_INTEGER) =>
  z.codec(
    z.string().refine((text) => /^\d{1,15}$/.test(text), {
      error: ({ input }) => `expected a whole number of at least ${min}, received ${JSON.stringify(input)}`,
    }),
    z.number().int().min(min).max(max),
    { decode: Number, encode: String },
  );

/** `true` or `false` in a query. */
export const yesOrNo = () => z.stringbool({ truthy: ['true'], falsy: ['false'], case: 'sensitive' });

/** Words in a search for paths. Names are shorter than this, and converting a longer text to NFC can take quadratic time. */
export const searchedPath = z
  .string()
  .max(1000)
  .refine((text) => splitWords(text).length <= MAX_SEARCHED_WORDS, {
    error: ({ input }) => `expected at most ${MAX_SEARCHED_WORDS} words, received ${splitWords(String(input)).length}`,
  });
