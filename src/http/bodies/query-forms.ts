import { z } from 'zod';

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

/** A part of a name in a search. Names are shorter, and converting a longer text to NFC can take quadratic time. */
export const searchedName = z.string().max(1000);
