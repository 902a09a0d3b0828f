import { ambiguityOf, checkDelivery, signDelivery } from '../auth/signature.ts';
import { badRequest, HttpProblem, unsigned } from '../errors.ts';
import { mediaTypeOf } from '../media.ts';
import { quote } from '../path.ts';
import { readTransformation, refuseLongTransformation, type UrlRules } from './url.ts';

/** What follows `/authenticated/` in a signed URL. */
export interface SignedUrl {
  /** What a delivery URL has after `/t/`: percent-encoded, as it arrived. */
  raw: string;
  /** The Unix second after which it is no longer valid. */
  expires: number | undefined;
}

/** What the name after `/authenticated/` begins with. */
export const SIGNATURE_START = 's--';

/**
 * Reads a signed URL and checks its signature. The URL is parsed only if the signature matches one of its readings, so that a
 * refusal costs two HMACs at most.
 * @param rest what follows `/authenticated/`, percent-encoded as it arrived and without the query
 * @throws HttpProblem 400 for another form, 401 for a wrong signature or one that has expired, 500 without a secret
 */
export function readSignedUrl(rest: string, secret: string | undefined, rules: UrlRules, now = Date.now()): SignedUrl {
  const { signature, until, raw } = takeApart(rest);
  if (until !== undefined && !/^\d{1,15}$/.test(until)) {
    throw badRequest(`Expected Unix seconds after the signature, received ${quote(until)}.`, 'malformed_signature');
  }
  if (!/^([0-9a-f]{16}|[0-9a-f]{64})$/i.test(signature)) {
    const message = `Expected "s--", then a signature of 16 or 64 hexadecimal digits, received ${quote(rest)}.`;
    throw badRequest(message, 'malformed_signature');
  }
  if (secret === undefined) {
    throw new HttpProblem('signing_not_configured', 'Signed URLs need the setting API_SECRET, which is not set.');
  }
  const readings = readingsOf(raw);
  // All are compared, so that the time does not tell which one it was.
  const valid = readings.filter(({ text }) => checkDelivery({ text, expires: until }, signature, secret) === 'valid');
  if (!valid.some((reading) => isIntended(reading, raw, rules))) throw refusal(readings, until);
  const expires = until === undefined ? undefined : Number(until);
  if (expires !== undefined && Math.floor(now / 1000) > expires) {
    throw unsigned('The signed URL has expired.', 'signature_expired');
  }
  return { raw, expires };
}

/**
 * The signed form of a delivery URL: `/authenticated/s--.../w_400/a.jpg` from `w_400/a.jpg`, encoded as it is written in the URL.
 * @throws HttpProblem 400 for a path that cannot be signed
 */
export function signDeliveryUrl(
  raw: string,
  { secret, limits, expires }: { secret: string; limits: UrlRules; expires?: number | undefined },
): string {
  const signature = signDelivery({ text: textToSign(raw, limits), expires }, secret);
  return `/authenticated/s--${signature}${expires === undefined ? '' : `--${expires}`}/${raw}`;
}

/** `s--{signature}/{raw}` or `s--{signature}--{until}/{raw}`. Without a regular expression: one takes quadratic time for a row of dashes. */
function takeApart(rest: string): { signature: string; until: string | undefined; raw: string } {
  const slash = rest.indexOf('/');
  if (!rest.startsWith(SIGNATURE_START) || slash < 0) return { signature: '', until: undefined, raw: '' };
  const first = rest.slice(SIGNATURE_START.length, slash);
  const raw = rest.slice(slash + 1);
  const dashes = first.indexOf('--');
  if (dashes < 0) return { signature: first, until: undefined, raw };
  return { signature: first.slice(0, dashes), until: first.slice(dashes + 2), raw };
}

function refusal(readings: readonly Reading[], until: string | undefined): HttpProblem {
  const ambiguities = readings.map(({ text }) => ambiguityOf({ text, expires: until }));
  const ambiguity = ambiguities.find((reason) => reason !== undefined);
  if (ambiguity === undefined) return unsigned('The signature is not valid for this URL.', 'wrong_signature');
  const message = `No signature is valid for this URL. Expected a path that does not ${ambiguity}.`;
  return unsigned(message, 'wrong_signature');
}

/** The signed text, if the first segment of the URL is a transformation, or if it is the name of a folder. */
interface Reading {
  kind: 'transformation' | 'folder' | 'either';
  text: string;
}

/**
 * Lists what the text after the signature can mean: a transformation, as the URL has it, and a decoded path; or a path that is
 * decoded as a whole. The two texts differ only if the first segment is percent-encoded.
 */
function readingsOf(raw: string): Reading[] {
  const { first, path } = splitFirst(raw);
  refuseLongTransformation(first);
  const rest = decode(path);
  if (!first.includes('%')) return [{ kind: 'either', text: raw.includes('/') ? `${first}/${rest}` : rest }];
  const transformation: Reading = { kind: 'transformation', text: `${first}/${rest}` };
  const name = decodeOrNot(first);
  return name === undefined ? [transformation] : [transformation, { kind: 'folder', text: `${name}/${rest}` }];
}

/** True if the URL has this reading. A signature of the other one is refused: two URLs would share it. */
function isIntended({ kind }: Reading, raw: string, rules: UrlRules): boolean {
  return kind === 'either' || isTransformation(raw, rules) === (kind === 'transformation');
}

function textToSign(raw: string, rules: UrlRules): string {
  const intended = readingsOf(raw).find((reading) => isIntended(reading, raw, rules));
  return (intended as Reading).text;
}

function splitFirst(raw: string): { first: string; path: string } {
  const slash = raw.indexOf('/');
  return { first: raw.slice(0, Math.max(0, slash)), path: raw.slice(slash + 1) };
}

function isTransformation(raw: string, rules: UrlRules): boolean {
  const { first, path } = splitFirst(raw);
  try {
    return readTransformation(decode(first), mediaTypeOf(decode(path)), rules) !== undefined;
  } catch (error) {
    // A value out of range is still a transformation. It is refused when the signature has been found valid.
    if (error instanceof HttpProblem) return true;
    throw error;
  }
}

function decodeOrNot(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw badRequest(`Expected percent-encoded UTF-8 in the path, received ${quote(text)}.`, 'invalid_encoding');
  }
}
