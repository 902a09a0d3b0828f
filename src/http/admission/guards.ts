import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Permission } from '../../auth/api-key.ts';
import type { Refusal } from '../../auth/keyring.ts';
import { forbidden, HttpProblem, unauthorized } from '../../errors.ts';
import type { Services } from '../../services.ts';
import type { Endpoint } from '../endpoints/endpoint.ts';
import { presentedKey, presentedSession } from './credentials.ts';
import { requireOwnOrigin, requireOwnPage } from './origin.ts';
import { passCookies } from './set-cookies.ts';

/**
 * Admits a request before its body is read.
 * @throws HttpProblem 401 and 403
 */
export type Guard = (request: FastifyRequest, reply: Pick<FastifyReply, 'raw'>) => Promise<void>;

/** The guard of an endpoint; undefined where access is public, or the handler itself decides. */
export function guardOf(
  endpoint: Pick<Endpoint, 'access' | 'revealsFileNames'>,
  services: Services,
): Guard | undefined {
  if (endpoint.revealsFileNames && services.config.http.deliveryMode === 'signed')
    return requirePermission(services, 'read');
  switch (endpoint.access) {
    case 'public':
    case 'signed':
    case 'presigned':
      return undefined;
    case 'own pages':
      return async (request) => requireOwnPage(request, services);
    case 'session':
      return requireSession(services, 'Expected the cookie of a session, received none that is valid.');
    default:
      return requirePermission(services, endpoint.access);
  }
}

/**
 * Admits a request with a valid API key that has the permission, or with the admin's session. A presented key has to be
 * valid, even next to a valid session cookie.
 */
export function requirePermission(services: Services, permission: Permission): Guard {
  const passWithSession = requireSession(
    services,
    'Expected an API key as "Authorization: Bearer <key>" or "x-api-key: <key>", or the cookie of a session; received neither.',
  );
  return async (request, reply) => {
    const presented = presentedKey(request.headers);
    if (presented !== undefined) return requireKey(presented, permission, services);
    return passWithSession(request, reply);
  };
}

/**
 * True for a request with a valid API key that has the permission, or with the admin's session. For endpoints that
 * answer everyone, and these more fully: credentials that are missing, invalid or insufficient are no error, nor are
 * those that cannot be checked while the database is unavailable.
 */
export async function hasPermission(
  request: FastifyRequest,
  reply: Pick<FastifyReply, 'raw'>,
  services: Services,
  permission: Permission,
): Promise<boolean> {
  const isAnonymous = presentedKey(request.headers) === undefined && presentedSession(request.headers) === undefined;
  if (isAnonymous) return false;
  try {
    await requirePermission(services, permission)(request, reply);
    return true;
  } catch (err) {
    if (!(err instanceof HttpProblem)) request.log.warn({ err }, 'the credentials of a request cannot be checked');
    return false;
  }
}

/**
 * Requires a session. There is one account, the admin's, and its sessions have every permission.
 * @param refusal the message for a request without one
 */
function requireSession(services: Services, refusal: string): Guard {
  return async (request, reply) => {
    const presented = presentedSession(request.headers);
    if (presented === undefined) throw unauthorized(refusal);
    const session = await services.sessions.check(request.headers.cookie ?? '', presented);
    if (!session) throw unauthorized(refusal);
    requireOwnOrigin(request, services);
    passCookies(request, reply, session.setCookies);
  };
}

async function requireKey(presented: string, permission: Permission, { keyring }: Services): Promise<void> {
  const holder = await keyring.verify(presented);
  if ('refused' in holder) throw refusal(holder.refused);
  if (holder.permissions.includes(permission)) return;
  const held = holder.permissions.length > 0 ? holder.permissions.join(', ') : 'none';
  throw forbidden(`This needs the permission "${permission}"; the API key has: ${held}.`, 'missing_permission');
}

function refusal(reason: Refusal['refused']): HttpProblem {
  if (reason === 'rate limited') {
    return new HttpProblem('rate_limited', 'The rate limit of this API key is used up.');
  }
  return unauthorized(
    reason === 'unknown'
      ? 'The API key is not valid.'
      : `The API key is ${reason === 'exhausted' ? 'used up' : reason}.`,
    'invalid_api_key',
  );
}
