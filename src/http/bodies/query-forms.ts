import { z } from 'zod';

/** A whole number in a query, which is text as it arrives; the document shows it as the number that it means. */
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

/** A part of a name that is looked for. Names are shorter, and putting a longer text in NFC can take quadratic time. */
export const searchedName = z.string().max(1000);
