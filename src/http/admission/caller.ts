import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Permission } from '../../auth/api-key.ts';
import type { Refusal } from '../../auth/keyring.ts';
import type { Actor } from '../../auth/member-rows.ts';
import { permissionsOf, type Role } from '../../auth/roles.ts';
import { forbidden, type HttpProblem, tooManyRequests, unauthorized } from '../../errors.ts';
import { INSTALLATION } from '../../installation.ts';
import type { Services } from '../../library-services.ts';
import { noteActor, noteOutsider, noteSessionSpace } from './actor.ts';
import { presentedSession } from './credentials.ts';
import { requireOwnOrigin } from './origin.ts';
import { passCookies } from './set-cookies.ts';
import { spaceOf } from './space.ts';
import { verifyPresentedKey } from './verified-key.ts';

/** Who sends a request, by valid credentials. */
export type Caller = SessionCaller | KeyCaller;

interface SessionCaller extends Actor {
  readonly type: 'user';
  readonly name: string;
  readonly sessionId: string;
  /** Undefined for a person with roles in other spaces only. */
  readonly role: Role | undefined;
  readonly permissions: readonly Permission[];
}

interface KeyCaller extends Actor {
  readonly type: 'key';
  readonly name: string;
  readonly role: undefined;
  readonly permissions: readonly Permission[];
  /** The only space that it may enter; empty for a key of the installation, which may enter all. */
  readonly space: string;
}

/** Callers of requests in progress: a key is verified once for each, because that counts as a use. */
const callers = new WeakMap<FastifyRequest, Caller>();

/** The caller of a request that a guard has admitted. @throws Error when none did */
export function callerOf(request: FastifyRequest): Caller {
  const caller = callers.get(request);
  if (caller === undefined) throw new Error('The request was not admitted by its credentials.');
  return caller;
}

type Reply = Pick<FastifyReply, 'raw'>;

/**
 * Finds the caller of a request by its key, or else by its session. A presented key has to be valid, even next to a
 * valid session cookie.
 * @returns undefined without a key and without a valid session
 * @throws HttpProblem 401 for an invalid key, 403 for a change by a session from another origin, 429, 503
 */
export async function findCaller(
  request: FastifyRequest,
  reply: Reply,
  services: Services,
): Promise<Caller | undefined> {
  const known = callers.get(request);
  if (known !== undefined) return known;
  const holder = await verifyPresentedKey(request, services.keyring);
  if (holder === undefined) return findSessionCaller(request, reply, services);
  if ('refused' in holder) throw refusal(holder);
  const caller: KeyCaller = { type: 'key', role: undefined, ...holder };
  if (holder.space !== '' && holder.space !== spaceOf(request)) throw wrongSpace(request, caller);
  return admitAs(request, caller);
}

/** As `findCaller`, for sessions only. */
export async function findSessionCaller(
  request: FastifyRequest,
  reply: Reply,
  services: Services,
): Promise<SessionCaller | undefined> {
  const known = callers.get(request);
  if (known?.type === 'user') return known;
  const presented = presentedSession(request.headers);
  if (presented === undefined) return undefined;
  const session = await services.sessions.check(request.headers.cookie ?? '', presented);
  if (!session) return undefined;
  requireOwnOrigin(request, services);
  const holder = await services.findSessionHolder(presented, spaceOf(request));
  if (holder === undefined) return undefined;
  passCookies(request, reply, session.setCookies);
  noteSessionSpace(request, holder.space);
  const { userId: id, name, sessionId, role } = holder;
  const permissions = role === undefined ? [] : permissionsOf(role);
  const caller = { type: 'user', id, name, sessionId, role, permissions } as const;
  // The log of the space must not name a person without a role there, whatever is refused.
  if (request.within && role === undefined) noteOutsider(request, { actor: caller, space: INSTALLATION });
  return admitAs(request, caller);
}

function admitAs<T extends Caller>(request: FastifyRequest, caller: T): T {
  callers.set(request, caller);
  noteActor(request, caller);
  return caller;
}

/** Refuses valid credentials of another space. */
export function wrongSpace(request: FastifyRequest, caller: Caller): HttpProblem {
  const isKey = caller.type === 'key';
  noteOutsider(request, { actor: caller, space: isKey ? caller.space : INSTALLATION });
  return forbidden(`The ${isKey ? 'API key' : 'session'} belongs to another space.`, 'wrong_space');
}

function refusal(reason: Refusal): HttpProblem {
  if (reason.refused === 'rate limited') {
    return tooManyRequests('The rate limit of this API key is used up.', 'rate_limited', reason.retryAfterSeconds);
  }
  return unauthorized(
    reason.refused === 'unknown'
      ? 'The API key is not valid.'
      : `The API key is ${reason.refused === 'exhausted' ? 'used up' : reason.refused}.`,
    'invalid_api_key',
  );
}
