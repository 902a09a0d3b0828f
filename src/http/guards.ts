import type { FastifyRequest } from 'fastify';
import type { Permission } from '../auth/api-key.ts';
import { forbidden, HttpProblem, unauthorized } from '../errors.ts';
import type { Services } from '../services.ts';

/** Lets a request pass that presents a good API key with the permission. For use as an `onRequest` hook. */
export function requirePermission({ keyring }: Services, permission: Permission) {
  return async (request: FastifyRequest): Promise<void> => {
    const presented = presentedKey(request);
    if (presented === undefined) {
      throw unauthorized('Expected an API key as "Authorization: Bearer <key>" or "x-api-key: <key>", received none.');
    }
    const holder = await keyring.verify(presented);
    if ('refused' in holder) throw refusal(holder.refused);
    if (!holder.permissions.includes(permission)) {
      throw forbidden(`This needs the permission "${permission}"; the API key has: ${holder.permissions.join(', ')}.`);
    }
  };
}

function presentedKey({ headers }: FastifyRequest): string | undefined {
  const bearer = /^Bearer +(\S+) *$/i.exec(headers.authorization ?? '')?.[1];
  const own = headers['x-api-key'];
  return bearer ?? (typeof own === 'string' && own !== '' ? own : undefined);
}

function refusal(reason: 'unknown' | 'disabled' | 'expired' | 'exhausted' | 'rate limited'): HttpProblem {
  if (reason === 'rate limited') {
    return new HttpProblem(429, 'Too many requests', 'The rate limit of this API key is used up.');
  }
  return unauthorized(
    reason === 'unknown'
      ? 'The API key is not valid.'
      : `The API key is ${reason === 'exhausted' ? 'used up' : reason}.`,
  );
}
