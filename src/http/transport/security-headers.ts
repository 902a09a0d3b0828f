/** On every answer: no guessing of types, and no address of ours told to other sites. */
export const ALWAYS: Readonly<Record<string, string>> = {
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
};

/** What was uploaded may be a document with scripts in it: opened by its own address, it may run and load nothing. */
export const FILES: Readonly<Record<string, string>> = {
  ...ALWAYS,
  'Content-Security-Policy': "default-src 'none'; sandbox",
};
