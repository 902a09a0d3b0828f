/** For every answer: browsers do not guess types, and do not tell other sites our addresses. */
export const ALWAYS: Readonly<Record<string, string>> = {
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
};

/** An uploaded file may be a document with scripts: when it is opened as a page, it may run and load nothing. */
export const FILES: Readonly<Record<string, string>> = {
  ...ALWAYS,
  'Content-Security-Policy': "default-src 'none'; sandbox",
};

/** A drawing is nothing without its styles, and has its pictures in itself; it runs and loads nothing either. */
export const DRAWINGS: Readonly<Record<string, string>> = {
  ...ALWAYS,
  'Content-Security-Policy': "default-src 'none'; style-src 'unsafe-inline'; img-src data:; sandbox",
};
