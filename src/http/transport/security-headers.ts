type Headers = Readonly<Record<string, string>>;

/** For every response: browsers must not guess types. */
export const NO_SNIFFING: Headers = { 'X-Content-Type-Options': 'nosniff' };

/** For every response but images, audio and video: browsers do not send the service's URLs to other sites. */
export const ALWAYS: Headers = { ...NO_SNIFFING, 'Referrer-Policy': 'no-referrer' };

/** An uploaded file may be a document with scripts: opened as a page, it may run and load nothing. */
const DOCUMENT: Headers = { ...ALWAYS, 'Content-Security-Policy': "default-src 'none'; sandbox" };

/** An SVG needs its own styles and embedded images. It runs and loads nothing either. */
const DRAWING: Headers = {
  ...ALWAYS,
  'Content-Security-Policy': "default-src 'none'; style-src 'unsafe-inline'; img-src data:; sandbox",
};

const SVG = 'image/svg+xml';
const MEDIA = /^(?:image\/(?!svg)|audio\/|video\/)/;

/** The security headers of a file. Media run no scripts and follow no links, so they need no policies. */
export function securityHeadersOf(type: string | undefined): Headers {
  if (type === SVG) return DRAWING;
  return type !== undefined && MEDIA.test(type) ? NO_SNIFFING : DOCUMENT;
}
