import { ambiguityOf, checkDelivery, type Secrets, signDelivery } from '../auth/signature.ts';
import { badRequest, HttpProblem, unsigned } from '../errors.ts';
import { mediaTypeOf } from '../media.ts';
import { quote } from '../path.ts';
import { isTransformation, refuseLongTransformation, type UrlRules } from './url.ts';

/** Parts of a signed URL after `/authenticated/`. */
export interface SignedUrl {
  /** Text of the delivery URL after `/t/`, percent-encoded as received. */
  raw: string;
  /** Unix second after which the URL is no longer valid. */
  expires: number | undefined;
}

/** Prefix of the name after `/authenticated/`. */
export const SIGNATURE_START = 's--';

/**
 * Parses a signed URL and checks its signature. The URL is only read if the signature matches one of its readings, so a
 * rejection costs at most two HMACs for each secret.
 * @param rest text after `/authenticated/`, percent-encoded as received and without the query
 * @throws HttpProblem 400 for a malformed signature, 401 for a wrong or expired signature, 500 without a secret
 */
export function readSignedUrl(
  rest: string,
  secrets: Secrets | undefined,
  rules: UrlRules,
  now = Date.now(),
): SignedUrl {
  const { signature, until, raw } = takeApart(rest);
  if (until !== undefined && !/^\d{1,15}$/.test(until)) {
    throw badRequest(`Expected Unix seconds after the signature, received ${quote(until)}.`, 'malformed_signature');
  }
  if (!/^([0-9a-f]{16}|[0-9a-f]{64})$/i.test(signature)) {
    const message = `Expected "s--", then a signature of 16 or 64 hexadecimal digits, received ${quote(rest)}.`;
    throw badRequest(message, 'malformed_signature');
  }
  if (secrets === undefined || secrets.length === 0) {
    throw new HttpProblem('signing_not_configured', 'Signed URLs need the setting API_SECRET, which is not set.');
  }
  const readings = readingsOf(raw);
  // Compare all readings, so that timing does not reveal the matching one.
  const valid = readings.filter(({ text }) => checkDelivery({ text, expires: until }, signature, secrets) === 'valid');
  if (!valid.some((reading) => isIntended(reading, raw, rules))) throw refusal(readings, until);
  const expires = until === undefined ? undefined : Number(until);
  if (expires !== undefined && Math.floor(now / 1000) > expires) {
    throw unsigned('The signed URL has expired.', 'signature_expired');
  }
  return { raw, expires };
}

/**
 * Signs a delivery URL: `/authenticated/s--.../w_400/a.jpg` from `w_400/a.jpg`, encoded as in the URL.
 * @throws HttpProblem 400 for a path that cannot be signed
 */
export function signDeliveryUrl(
  raw: string,
  { secret, limits, expires }: { secret: string; limits: UrlRules; expires?: number | undefined },
): string {
  const signature = signDelivery({ text: textToSign(raw, limits), expires }, secret);
  return `/authenticated/s--${signature}${expires === undefined ? '' : `--${expires}`}/${raw}`;
}

/**
 * Splits `s--{signature}/{raw}` or `s--{signature}--{until}/{raw}`. A regular expression would take quadratic time for
 * a row of dashes.
 */
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
 * Lists the possible readings of the text after the signature: a transformation as the URL has it and a decoded path,
 * or an entirely decoded path. They differ only if the first segment is percent-encoded.
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

/** True if the URL has this reading. A signature of the other reading is rejected: two URLs would share it. */
function isIntended({ kind }: Reading, raw: string, rules: UrlRules): boolean {
  if (kind === 'either') return true;
  const { first, path } = splitFirst(raw);
  const name = decodeOrNot(first);
  // A value out of range, or in a broken encoding, is rejected once the signature is known to be valid.
  const isRead = name === undefined || isTransformation(name, mediaTypeOf(decode(path)), rules);
  return isRead === (kind === 'transformation');
}

function textToSign(raw: string, rules: UrlRules): string {
  const intended = readingsOf(raw).find((reading) => isIntended(reading, raw, rules));
  return (intended as Reading).text;
}

function splitFirst(raw: string): { first: string; path: string } {
  const slash = raw.indexOf('/');
  return { first: raw.slice(0, Math.max(0, slash)), path: raw.slice(slash + 1) };
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
