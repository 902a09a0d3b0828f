import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Permission } from '../../auth/api-key.ts';
import type { Refusal } from '../../auth/keyring.ts';
import { forbidden, HttpProblem, unauthorized } from '../../errors.ts';
import type { Services } from '../../services.ts';
import { presentedKey, presentedSession } from './credentials.ts';
import { requireOwnOrigin } from './origin.ts';
import { passCookies } from './set-cookies.ts';

/**
 * Lets a request pass that presents a good API key with the permission, or the admin's session. A key that is presented has to be
 * good, whatever cookie comes with it. For use as an `onRequest` hook.
 */
export function requirePermission(services: Services, permission: Permission) {
  return async (request: FastifyRequest, reply: Pick<FastifyReply, 'raw'>): Promise<void> => {
    const presented = presentedKey(request.headers);
    if (presented !== undefined) return requireKey(presented, permission, services);
    const session = await findSession(request, services);
    if (!session) {
      throw unauthorized(
        'Expected an API key as "Authorization: Bearer <key>" or "x-api-key: <key>", or the cookie of a session; received neither.',
      );
    }
    requireOwnOrigin(request, services);
    passCookies(request, reply, session.setCookies);
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
async function findSession({ raw, headers }: FastifyRequest, { sessions }: Services) {
  const presented = presentedSession(raw.rawHeaders);
  return presented === undefined ? undefined : sessions.check(headers.cookie ?? '', presented);
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
