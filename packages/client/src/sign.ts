import type { Options } from './options.ts';
import { encodePath, encodeSegment, fail, place, transformation } from './url.ts';

/** Larger numbers are milliseconds: as seconds they are over a thousand years away. */
const MAX_SECONDS = 1e11;

export interface Signed {
  /** Expiry: a date, or Unix seconds. Without it the URL does not expire. */
  expires?: Date | number | undefined;
  /** URL of the service: `https://media.example.com`. */
  base?: string | undefined;
}

/**
 * Returns a signed URL, which cannot be changed: `/authenticated/s--.../w_400/photos/cat.jpg`. For servers only: with
 * the secret anything can be signed.
 * @param secret the service's `API_SECRET`
 * @param path of the file in the library, not encoded
 * @param options as for `url`; without them the original
 * @throws TypeError as `url`, for an empty secret, for an expiry that is not Unix seconds, and for a path that cannot
 * be signed
 */
export async function signedUrl(
  secret: string,
  path: string,
  options: Options | string = '',
  { expires, base = '' }: Signed = {},
): Promise<string> {
  const segment = encodeSegment(transformation(options));
  // The transformation is signed as written, the path decoded.
  const text = [segment, decodeURIComponent(encodePath(path))].filter(Boolean).join('/');
  const until = expires instanceof Date ? Math.floor(expires.getTime() / 1000) : expires;
  if (until !== undefined && (!Number.isInteger(until) || until < 0 || until > MAX_SECONDS)) {
    fail('expires', 'a Date or Unix seconds', expires);
  }
  const signed = until === undefined ? text : `${until}:${text}`;
  refuseAmbiguous(signed, until === undefined, path);
  const end = until === undefined ? '' : `--${until}`;
  return place(base, `authenticated/s--${await hmac(secret, signed)}${end}`, segment, path);
}

/** The service rejects delivery URLs whose signature would equal that of an upload, or of another URL that expires. */
function refuseAmbiguous(signed: string, isLasting: boolean, path: string): void {
  if (/:[0-9]+$/.test(signed)) fail('path', 'a path that does not end in ":" and digits', path);
  if (isLasting && /^[0-9]{10,15}:/.test(signed)) fail('path', 'a path that does not begin with a time and ":"', path);
}

/** Computes an HMAC-SHA256, in hexadecimal. */
async function hmac(secret: string, text: string): Promise<string> {
  if (typeof secret !== 'string' || secret === '') fail('secret', 'the API_SECRET of the service', typeof secret);
  const bytes = (one: string) => new TextEncoder().encode(one);
  const key = await crypto.subtle.importKey('raw', bytes(secret), { name: 'HMAC', hash: 'SHA-256' }, false, ['sign']);
  const signature = new Uint8Array(await crypto.subtle.sign('HMAC', key, bytes(text)));
  return Array.from(signature, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
