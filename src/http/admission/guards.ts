import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Permission } from '../../auth/api-key.ts';
import { forbidden, HttpProblem, unauthorized } from '../../errors.ts';
import type { Services } from '../../library-services.ts';
import type { Endpoint } from '../endpoints/endpoint.ts';
import { type Caller, findCaller, findSessionCaller, wrongSpace } from './caller.ts';
import { presentsCredentials } from './credentials.ts';
import { requireOwnPage } from './origin.ts';

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
    case 'credentials':
      return async (request, reply) => refuseElsewhere(request, await requireCaller(request, reply, services));
    default:
      return requirePermission(services, endpoint.access);
  }
}

/**
 * Admits a request with a valid API key that has the permission, or with the session of a person whose role has it. The
 * role is read from the database each time. A presented key has to be valid, even next to a valid session cookie.
 */
export function requirePermission(services: Services, permission: Permission): Guard {
  return async (request, reply) => {
    const caller = await requireCaller(request, reply, services);
    if (caller.permissions.includes(permission)) return;
    refuseElsewhere(request, caller);
    throw missingPermission(permission, caller);
  };
}

/** @throws HttpProblem 401 without credentials, and as `findCaller` */
async function requireCaller(
  request: FastifyRequest,
  reply: Pick<FastifyReply, 'raw'>,
  services: Services,
): Promise<Caller> {
  const caller = await findCaller(request, reply, services);
  if (caller !== undefined) return caller;
  throw unauthorized(
    'Expected an API key as "Authorization: Bearer <key>" or "x-api-key: <key>", or the cookie of a session; received neither.',
  );
}

/** @throws HttpProblem 403 in a space, for the session of a person who only has roles elsewhere */
function refuseElsewhere(request: FastifyRequest, caller: Caller): void {
  if (request.within && caller.type === 'user' && caller.role === undefined) throw wrongSpace(request, caller);
}

/**
 * True for a request with a valid API key, or with a session, that has the permission. For endpoints that
 * answer everyone, and these more fully: credentials that are missing, invalid or insufficient are no error, nor are
 * those that cannot be checked while the database is unavailable.
 */
export async function hasPermission(
  request: FastifyRequest,
  reply: Pick<FastifyReply, 'raw'>,
  services: Services,
  permission: Permission,
): Promise<boolean> {
  if (!presentsCredentials(request.headers)) return false;
  try {
    await requirePermission(services, permission)(request, reply);
    return true;
  } catch (err) {
    if (!(err instanceof HttpProblem)) request.log.warn({ err }, 'the credentials of a request cannot be checked');
    return false;
  }
}

/**
 * Requires a session of any person with a role somewhere.
 * @param refusal the message for a request without one
 */
function requireSession(services: Services, refusal: string): Guard {
  return async (request, reply) => {
    if ((await findSessionCaller(request, reply, services)) === undefined) throw unauthorized(refusal);
  };
}

function missingPermission(permission: Permission, caller: Caller): HttpProblem {
  return forbidden(`This needs the permission "${permission}"; ${heldBy(caller)}.`, 'missing_permission');
}

function heldBy(caller: Caller): string {
  const held = caller.permissions.length > 0 ? caller.permissions.join(', ') : 'none';
  if (caller.type === 'key') return `the API key has: ${held}`;
  if (caller.role === undefined) return 'this account has no role here';
  return `the role of this account is ${caller.role}, which has: ${held}`;
}
