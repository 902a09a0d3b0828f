import type { Config } from '../config.ts';
import { signDeliveryUrl } from '../delivery/signed-url.ts';
import { acceptExtraTypes } from '../media.ts';

/** Signs a delivery URL for an operator. @throws Error when it cannot be created */
export function signUrl({ auth, http, limits }: Config, input: Readonly<Record<string, string | undefined>>): string {
  const { operand = '', expires } = input;
  if (auth.secret === undefined) throw new Error('Signing needs the setting API_SECRET, which is not set.');
  if (expires !== undefined && !/^[1-9]\d{0,9}$/.test(expires)) {
    throw new Error(`Expected seconds after --expires, received ${expires}.`);
  }
  acceptExtraTypes(limits.documents);
  const path = operand.replace(/^https?:\/\/[^/]*/, '').replace(/^\/?(api\/)?t\//, '');
  const until = expires === undefined ? undefined : Math.floor(Date.now() / 1000) + Number(expires);
  const signed = signDeliveryUrl(encodePath(path.replace(/^\//, '')), { secret: auth.secret, limits, expires: until });
  return (http.publicUrl ?? '') + signed;
}

/** Encodes characters that are invalid in the path of a URL. Encoded characters stay as they are. */
function encodePath(path: string): string {
  const encoded = encodeURI(path).replaceAll(/%25([0-9a-f]{2})/gi, '%$1');
  return encoded.replaceAll(/[?#]/g, encodeURIComponent);
}
