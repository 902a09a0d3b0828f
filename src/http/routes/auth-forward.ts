import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { CLIENT_ADDRESS_HEADER, SESSION_COOKIE, SPACE_HEADER } from '../../auth/auth.ts';
import { PASSWORD_SIGN_IN_DISABLED } from '../../auth/password-sign-in.ts';
import { LOCK_SECONDS } from '../../auth/second-factor.ts';
import type { SessionHolder } from '../../auth/session-holder.ts';
import { codeOfStatus, conflict, HttpProblem, tooManyRequests, unauthorized, unavailable } from '../../errors.ts';
import { parseJson } from '../../json.ts';
import type { Services } from '../../library-services.ts';
import { noteActor, noteSessionSpace } from '../admission/actor.ts';
import { addressOf } from '../admission/client-address.ts';
import { presentedSession, withoutCookie } from '../admission/credentials.ts';
import { ownOrigin } from '../admission/origin.ts';
import { passCookies } from '../admission/set-cookies.ts';
import { spaceOf } from '../admission/space.ts';

export const AUTH_RETRY_SECONDS = 5;

/** Successful response of better-auth. */
export interface AuthAnswer {
  status: number;
  /** Its JSON text, and what that says. */
  text: string;
  body: unknown;
  cookies: readonly string[];
}

/**
 * Passes a request to better-auth, without a session that is not valid in the space of the request.
 * @throws HttpProblem its error, in the service's format
 */
export async function askAuth(request: FastifyRequest, services: Services): Promise<AuthAnswer> {
  const headers = authHeaders(request);
  if (await isSessionOfAnotherSpace(request, services))
    headers.set('cookie', withoutCookie(request.headers, SESSION_COOKIE));
  return passToAuth(request, services, headers);
}

/** As `askAuth`, with any session: it may be ended everywhere. */
export function endSession(request: FastifyRequest, services: Services): Promise<AuthAnswer> {
  return passToAuth(request, services, authHeaders(request));
}

async function passToAuth(request: FastifyRequest, services: Services, headers: Headers): Promise<AuthAnswer> {
  const { origin } = new URL(services.config.http.publicUrl ?? ownOrigin(request, services));
  // better-auth's check knows one origin only. The service's own check runs before, and also accepts the requested
  // host.
  if (request.headers.origin !== undefined) headers.set('origin', origin);
  const body = request.method === 'POST' ? { body: JSON.stringify(request.body ?? {}) } : {};
  // Path of the endpoint, without encoded characters.
  const path = request.routeOptions.url ?? '';
  const answer = await services.auth.handler(new Request(origin + path, { method: request.method, headers, ...body }));
  if (!answer.ok) throw await toProblem(answer);
  const text = await answer.text();
  return { status: answer.status, text, body: parseJson(text), cookies: answer.headers.getSetCookie() };
}

/**
 * The headers of a request that better-auth reads: its address, its cookies and its program, and the space to which a
 * new session is restricted.
 */
export function authHeaders(request: FastifyRequest, restriction = request.hostSpace): Headers {
  const headers = new Headers({ [CLIENT_ADDRESS_HEADER]: addressOf(request), 'content-type': 'application/json' });
  if (restriction !== undefined) headers.set(SPACE_HEADER, restriction);
  for (const name of ['cookie', 'user-agent'] as const) {
    const value = request.headers[name];
    if (value !== undefined) headers.set(name, value);
  }
  return headers;
}

/** Finds the person of a request's session; undefined without one that is valid in its space. */
export async function findHolder(request: FastifyRequest, services: Services): Promise<SessionHolder | undefined> {
  const { headers } = request;
  const presented = presentedSession(headers);
  if (presented === undefined) return undefined;
  const session = await services.sessions.check(headers.cookie ?? '', presented);
  const holder = session && (await services.findSessionHolder(presented, spaceOf(request)));
  if (holder) noteSessionSpace(request, holder.space);
  return holder;
}

async function isSessionOfAnotherSpace(
  request: FastifyRequest,
  { spaces, findSessionHolder }: Services,
): Promise<boolean> {
  const presented = presentedSession(request.headers);
  if (presented === undefined || spaces.size === 0) return false;
  return (await findSessionHolder(presented, spaceOf(request))) === undefined;
}

/**
 * Begins a session of a person who has been identified, and records that person as the caller.
 * @param restriction space to which the session is restricted; default: that of the host
 * @returns its `Set-Cookie` lines
 */
export async function startSession(
  request: FastifyRequest,
  { auth }: Services,
  userId: string,
  restriction?: string,
): Promise<string[]> {
  const headers = authHeaders(request, restriction);
  if (restriction !== undefined) noteSessionSpace(request, restriction);
  const started = await auth.api.startSession({ body: { userId }, headers, returnHeaders: true });
  noteActor(request, { type: 'user', ...started.response.user });
  return started.headers.getSetCookie();
}

/** Begins the session of an account that was just created. */
export async function signInNewAccount(
  request: FastifyRequest,
  reply: FastifyReply,
  services: Services,
  userId: string,
): Promise<void> {
  try {
    passCookies(request, reply, await startSession(request, services, userId));
  } catch (error) {
    throw unavailable('The account was created. Sign in later.', 'database_unavailable', AUTH_RETRY_SECONDS, error);
  }
}

const userAnswer = z.object({ user: z.object({ id: z.string(), name: z.string() }) });

/** Sends a response of better-auth, and records the user that it names as the caller. */
export function sendAuth(request: FastifyRequest, reply: FastifyReply, answer: AuthAnswer): FastifyReply {
  const { user } = userAnswer.safeParse(answer.body).data ?? {};
  if (user) noteActor(request, { type: 'user', ...user });
  passCookies(request, reply, answer.cookies);
  return reply.code(answer.status).type('application/json; charset=utf-8').send(answer.text);
}

const failure = z.object({ message: z.string().optional(), code: z.string().optional() });

async function toProblem(answer: Response): Promise<HttpProblem> {
  // Inside it, only the database can fail.
  if (answer.status >= 500) {
    return unavailable('The accounts cannot be reached at the moment.', 'database_unavailable', AUTH_RETRY_SECONDS);
  }
  const said: unknown = await answer.json().catch(() => undefined);
  const { message: reason = 'The request was refused.', code } = failure.safeParse(said).data ?? {};
  if (code === PASSWORD_SIGN_IN_DISABLED) return passwordSignInDisabled();
  const known = secondFactorProblem(answer.status, code);
  if (known) return known;
  if (answer.status === 401) return unauthorized(`${reason}.`, 'invalid_credentials');
  const retryAfter = answer.headers.get('x-retry-after');
  return new HttpProblem(codeOfStatus(answer.status), reason, {
    ...(answer.status !== 429 && { label: 'Authentication failed' }),
    ...(retryAfter && { headers: { 'Retry-After': retryAfter } }),
  });
}

export function passwordSignInDisabled(): HttpProblem {
  const message = 'This account signs in through the identity provider, not with a password (PASSWORD_SIGN_IN).';
  return new HttpProblem('password_sign_in_disabled', message);
}

/** Errors of the second factor, whose statuses say less than ours. */
function secondFactorProblem(status: number, code: string | undefined): HttpProblem | undefined {
  switch (code) {
    case 'INVALID_PASSWORD':
      return new HttpProblem('wrong_password', 'The current password is wrong.');
    case 'INVALID_CODE':
      return unauthorized('This code is wrong. Enter the current code of the app.', 'invalid_credentials');
    case 'INVALID_BACKUP_CODE':
      return unauthorized('This backup code is wrong or was used before.', 'invalid_credentials');
    case 'INVALID_TWO_FACTOR_COOKIE':
      return unauthorized('The sign-in has expired: sign in again.', 'invalid_credentials');
    case 'TOTP_ALREADY_ENABLED':
      return conflict('Two-factor authentication is enabled already. Disable it first.', 'two_factor_conflict');
    case 'TOTP_NOT_ENABLED':
    case 'BACKUP_CODES_NOT_ENABLED':
      return conflict('Two-factor authentication is not enabled.', 'two_factor_conflict');
    case 'TOO_MANY_ATTEMPTS_REQUEST_NEW_CODE':
      return unauthorized('Too many wrong codes: sign in again.', 'invalid_credentials');
    case 'ACCOUNT_TEMPORARILY_LOCKED': {
      const message = `Too many wrong codes in a row. Retry in at most ${LOCK_SECONDS} s.`;
      return tooManyRequests(message, 'too_many_sign_ins', LOCK_SECONDS);
    }
    default:
      // Two requests used backup codes at the same time.
      return status === 409 ? conflict('The backup codes changed meanwhile. Retry.', 'two_factor_conflict') : undefined;
  }
}
