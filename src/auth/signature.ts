import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';
import { badRequest } from '../errors.ts';
import { quote } from '../path.ts';

// Signs and verifies with the secrets of this service. A signature is valid for one purpose only. Delivery and uploads
// use the secret itself, as published. Their texts are disjoint: that of an upload ends in ":" and digits, and no such
// text is signed or accepted for delivery. Webhooks and sessions have separate secrets; docs/security.md lists all
// purposes.

/** Purposes with a derived key. Add new purposes here: none may sign with the secret itself. */
export const DERIVED_PURPOSES = ['audit-entries', 'job-clients', 'oidc-state', 'sign-in-clients'] as const;

export type DerivedPurpose = (typeof DERIVED_PURPOSES)[number];

const KEY_BYTES = 32;

/** Derives the HMAC key of a purpose with HKDF-SHA256 (RFC 5869). Call it once, not for each signature. */
export function deriveKey(secret: string, purpose: DerivedPurpose): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, '', `darkroom/${purpose}`, KEY_BYTES));
}

/** One secret, or several while one is being replaced: each of them may have signed. */
export type Secrets = string | readonly string[];

/** A secret that was replaced. It verifies until this time in Unix milliseconds, and signs nothing. */
export interface ReplacedSecret {
  secret: string;
  until: number;
}

/** Returns the secrets that verify now, the present one first; none without a present one. */
export function verifyingSecrets(
  { secret, replacedSecrets }: { secret: string | undefined; replacedSecrets: readonly ReplacedSecret[] },
  now = Date.now(),
): string[] {
  if (secret === undefined) return [];
  return [secret, ...replacedSecrets.filter(({ until }) => until > now).map((replaced) => replaced.secret)];
}

/** Signed text of a delivery URL, without its expiry. */
interface DeliveryText {
  text: string;
  /** Unix seconds, as the URL has them. */
  expires?: number | string | undefined;
}

/**
 * Signs a delivery URL: 64 lower-case hexadecimal characters.
 * @throws HttpProblem 400 for a text that another verifier would read differently
 */
export function signDelivery(signed: DeliveryText, secret: string): string {
  const ambiguity = ambiguityOf(signed);
  if (ambiguity !== undefined) {
    throw badRequest(`Expected a path that does not ${ambiguity}, received ${quote(signed.text)}.`, 'unsignable_path');
  }
  return sign(writeDelivery(signed), secret);
}

/** Checks a signature as `checkSignature` does. None is valid for an ambiguous text. */
export function checkDelivery(signed: DeliveryText, presented: string, secrets: Secrets): SignatureCheck {
  const check = checkByAny(writeDelivery(signed), presented, secrets);
  return check === 'valid' && ambiguityOf(signed) !== undefined ? 'wrong' : check;
}

/**
 * Describes the ambiguous start or end of a delivery text; undefined for an unambiguous one. A signature of
 * `photos:1795213157` would permit uploads, and one of `1795213157:a.jpg` is that of `a.jpg` until that second.
 */
export function ambiguityOf(signed: DeliveryText): string | undefined {
  const { text, expires } = signed;
  if (/:[0-9]+$/.test(writeDelivery(signed))) {
    const ending = /^[0-9]+$/.test(text) ? 'consist of digits where the URL expires' : 'end in ":" and digits';
    return `${ending}, because what is signed for an upload ends in ":" and digits`;
  }
  // Fewer digits are a time before 2001, at which every URL has expired.
  if (expires === undefined && /^[0-9]{10,15}:/.test(text)) {
    return 'begin with 10 to 15 digits and ":", because what is signed for a URL that expires does';
  }
  return undefined;
}

function writeDelivery({ text, expires }: DeliveryText): string {
  return expires === undefined ? text : `${expires}:${text}`;
}

/** Permission to upload into a folder until a time, in Unix seconds. */
interface UploadText {
  folder: string;
  expires: number | string;
}

/** Signs the permission to upload into a folder, with a short signature. */
export function signUpload(signed: UploadText, secret: string): string {
  return signShort(writeUpload(signed), secret);
}

/** Checks a signature as `checkSignature` does. */
export function checkUpload(signed: UploadText, presented: string, secrets: Secrets): SignatureCheck {
  return checkByAny(writeUpload(signed), presented, secrets);
}

function writeUpload({ folder, expires }: UploadText): string {
  return `${folder}:${expires}`;
}

/** Some clients sign with only the first 16 characters. Both lengths are accepted everywhere. */
const SHORT_LENGTH = 16;
const FULL_LENGTH = 64;

/** `malformed`: not of 16 or 64 characters, or not hexadecimal. */
export type SignatureCheck = 'valid' | 'malformed' | 'wrong';

/** Signs a text with HMAC-SHA256: 64 lower-case hexadecimal characters. */
export function sign(text: string, secret: string | Buffer): string {
  return createHmac('sha256', secret).update(text).digest('hex');
}

/** Signs a text; returns the first 16 characters. */
export function signShort(text: string, secret: string | Buffer): string {
  return sign(text, secret).slice(0, SHORT_LENGTH);
}

/** Compares a presented signature with the expected one in constant time. */
export function checkSignature(text: string, presented: string, secret: string | Buffer): SignatureCheck {
  if (presented.length !== SHORT_LENGTH && presented.length !== FULL_LENGTH) return 'malformed';
  if (!/^[0-9a-f]+$/i.test(presented)) return 'malformed';
  const expected = sign(text, secret).slice(0, presented.length);
  return isSame(expected, presented) ? 'valid' : 'wrong';
}

/** Checks by each secret, so that the time does not reveal which one has signed. */
function checkByAny(text: string, presented: string, secrets: Secrets): SignatureCheck {
  const all = typeof secrets === 'string' ? [secrets] : secrets;
  const checks = all.map((secret) => checkSignature(text, presented, secret));
  if (checks.includes('valid')) return 'valid';
  return checks.includes('malformed') ? 'malformed' : 'wrong';
}

/** Compares two secrets in constant time. */
export function isSame(left: string, right: string): boolean {
  const leftBytes = Buffer.from(left);
  const rightBytes = Buffer.from(right);
  return leftBytes.length === rightBytes.length && timingSafeEqual(leftBytes, rightBytes);
}

/** Key and salt of imgproxy, in hexadecimal. */
export interface ImgproxyKey {
  key: string;
  salt: string;
}

/** Signs a URL as imgproxy does. @param rest the part after the signature, with its leading slash */
export function signImgproxy(rest: string, { key, salt }: ImgproxyKey): string {
  const mac = createHmac('sha256', Buffer.from(key, 'hex')).update(Buffer.from(salt, 'hex'));
  return mac.update(rest).digest('base64url');
}

/** True if one of the keys has signed it. Tries all keys, so that the time does not reveal which one matched. */
export function isSignedForImgproxy(rest: string, presented: string, keys: readonly ImgproxyKey[]): boolean {
  return keys.filter((key) => isSame(signImgproxy(rest, key), presented)).length > 0;
}
