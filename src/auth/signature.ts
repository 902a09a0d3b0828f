import { createHmac, timingSafeEqual } from 'node:crypto';

/** Some clients sign with only the first 16 characters. Both lengths are accepted everywhere. */
const SHORT_LENGTH = 16;
const FULL_LENGTH = 64;

/** HMAC-SHA256 of a text: 64 lower-case hexadecimal characters. */
export function sign(text: string, secret: string): string {
  return createHmac('sha256', secret).update(text).digest('hex');
}

/** The first 16 characters of the signature: the short form that delivery URLs and presigned uploads are given. */
export function signShort(text: string, secret: string): string {
  return sign(text, secret).slice(0, SHORT_LENGTH);
}

/**
 * Compares a presented signature with the right one, in a time that does not depend on where they differ.
 * Malformed is what no signer writes: another length than 16 or 64, or a character that is not hexadecimal.
 */
export function checkSignature(text: string, presented: string, secret: string): 'valid' | 'malformed' | 'wrong' {
  if (presented.length !== SHORT_LENGTH && presented.length !== FULL_LENGTH) return 'malformed';
  if (!/^[0-9a-f]+$/i.test(presented)) return 'malformed';
  const expected = sign(text, secret).slice(0, presented.length);
  return isSame(expected, presented) ? 'valid' : 'wrong';
}

/** Compares two secrets in a time that does not depend on where they differ. */
export function isSame(left: string, right: string): boolean {
  const [one, other] = [Buffer.from(left), Buffer.from(right)];
  return one.length === other.length && timingSafeEqual(one, other);
}

/** A key of imgproxy and its salt, in hexadecimal digits. */
export interface ImgproxyKey {
  key: string;
  salt: string;
}

/** The signature of what follows it in a URL, from the slash on, as imgproxy writes it. */
export function signImgproxy(rest: string, { key, salt }: ImgproxyKey): string {
  const mac = createHmac('sha256', Buffer.from(key, 'hex')).update(Buffer.from(salt, 'hex'));
  return mac.update(rest).digest('base64url');
}

/** Whether one of the keys has signed it. All are tried, so that the time does not tell which one it was. */
export function isSignedForImgproxy(rest: string, presented: string, keys: readonly ImgproxyKey[]): boolean {
  return keys.filter((key) => isSame(signImgproxy(rest, key), presented)).length > 0;
}
