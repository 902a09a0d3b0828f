import type { FastifyRequest } from 'fastify';
import type { Permission } from '../auth/api-key.ts';
import { SESSION_COOKIE } from '../auth/auth.ts';
import type { Refusal } from '../auth/keyring.ts';
import { forbidden, HttpProblem, unauthorized } from '../errors.ts';
import type { Services } from '../services.ts';
import { requireOwnOrigin } from './origin.ts';

/**
 * Lets a request pass that presents a good API key with the permission, or the admin's session. A key that is presented has to be
 * good, whatever cookie comes with it. For use as an `onRequest` hook.
 */
export function requirePermission(services: Services, permission: Permission) {
  return async (request: FastifyRequest): Promise<void> => {
    const presented = presentedKey(request);
    if (presented !== undefined) return requireKey(presented, permission, services);
    if (!(await hasSession(request, services))) {
      throw unauthorized(
        'Expected an API key as "Authorization: Bearer <key>" or "x-api-key: <key>", or the cookie of a session; received neither.',
      );
    }
    requireOwnOrigin(request, services);
  };
}

async function requireKey(presented: string, permission: Permission, { keyring }: Services): Promise<void> {
  const holder = await keyring.verify(presented);
  if ('refused' in holder) throw refusal(holder.refused);
  if (holder.permissions.includes(permission)) return;
  const held = holder.permissions.length > 0 ? holder.permissions.join(', ') : 'none';
  throw forbidden(`This needs the permission "${permission}"; the API key has: ${held}.`);
}

/** There is one account, the admin's: a session of it may do everything. */
async function hasSession({ headers }: FastifyRequest, { auth }: Services): Promise<boolean> {
  const { cookie } = headers;
  if (!cookie?.includes(`${SESSION_COOKIE}=`)) return false;
  return (await auth.api.getSession({ headers: new Headers({ cookie }) })) !== null;
}

/** A proxy in front may have an `Authorization` of its own; only what calls itself a bearer is meant for us. */
function presentedKey({ headers }: FastifyRequest): string | undefined {
  const bearer = /^Bearer(?: +(.*))?$/i.exec(headers.authorization ?? '');
  const own = headers['x-api-key'];
  if (bearer) return bearer[1]?.trim() ?? '';
  return typeof own === 'string' && own !== '' ? own : undefined;
}

function refusal(reason: Refusal['refused']): HttpProblem {
  if (reason === 'rate limited') {
    return new HttpProblem(429, 'Too many requests', 'The rate limit of this API key is used up.');
  }
  return unauthorized(
    reason === 'unknown'
      ? 'The API key is not valid.'
      : `The API key is ${reason === 'exhausted' ? 'used up' : reason}.`,
  );
}
