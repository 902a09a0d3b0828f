import type { FastifyRequest } from 'fastify';
import type { Keyring } from '../../auth/keyring.ts';
import { presentedKey } from './credentials.ts';

type Verified = Awaited<ReturnType<Keyring['verify']>>;

/** Results by request: a second verification would count twice against the quota of a key. */
const verified = new WeakMap<FastifyRequest, Promise<Verified>>();

/** Verifies the key that a request presents, once for each request; undefined for a request without one. */
export function verifyPresentedKey(
  request: FastifyRequest,
  keyring: Pick<Keyring, 'verify'>,
): Promise<Verified> | undefined {
  const presented = presentedKey(request.headers);
  if (presented === undefined) return undefined;
  const known = verified.get(request);
  if (known) return known;
  const result = keyring.verify(presented);
  verified.set(request, result);
  return result;
}
