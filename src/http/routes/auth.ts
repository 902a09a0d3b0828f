import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { PASSWORD_LENGTH } from '../../auth/accounts.ts';
import { AUTH_BASE_PATH, CLIENT_ADDRESS_HEADER } from '../../auth/auth.ts';
import { withPriority } from '../../auth/passwords.ts';
import { codeOfStatus, conflict, HttpProblem, unauthorized, unavailable } from '../../errors.ts';
import type { Services } from '../../services.ts';
import { addressOf, clientOf } from '../admission/client-address.ts';
import { learnSession, presentedSession, recallSession } from '../admission/credentials.ts';
import { ownOrigin } from '../admission/origin.ts';
import { passCookies } from '../admission/set-cookies.ts';
import { defineEndpoint, type Endpoint, type RouteContext } from '../endpoints/endpoint.ts';

const SIGN_OUT = `${AUTH_BASE_PATH}/sign-out`;
const SETUP = `${AUTH_BASE_PATH}/setup`;
const RETRY_SECONDS = 5;

const time = z.iso.datetime();
export const user = z.object({
  id: z.string(),
  email: z.string(),
  name: z.string(),
  emailVerified: z.boolean(),
  image: z.string().nullish(),
  createdAt: time,
  updatedAt: time,
});
const session = z.object({ id: z.string(), userId: z.string(), expiresAt: time, createdAt: time, updatedAt: time });

const signInBody = z.object({ email: z.string(), password: z.string(), rememberMe: z.boolean().optional() });
const signedIn = z.object({ redirect: z.boolean(), token: z.string(), user });
const signedOut = z.object({ success: z.boolean() });
const currentSession = z.object({ session: z.looseObject(session.shape), user: z.looseObject(user.shape) }).nullable();

const setupBody = z.object({
  token: z.string(),
  email: z.email(),
  password: z.string().min(PASSWORD_LENGTH.min).max(PASSWORD_LENGTH.max),
  name: z.string().trim().min(1).max(100).default('Admin'),
});
const setUp = z.object({ success: z.boolean(), message: z.string() });
const setupState = z.object({ needed: z.boolean().describe('True if the account can be created now.') });

const tag = 'Account';
const ownPages = { access: 'own pages', noStore: true } as const;
const open = { access: 'public', noStore: true } as const;

/** Sign-in and sign-out with better-auth, and the first visit, which creates the account. */
export function authRoutes({ services }: RouteContext): readonly Endpoint[] {
  return [...sessionEndpoints(services), ...setupEndpoints(services)];
}

function sessionEndpoints(services: Services): readonly Endpoint[] {
  const forward = createForward(services);
  const signIn = defineEndpoint(`POST ${AUTH_BASE_PATH}/sign-in/email`, {
    ...ownPages,
    openapi: { id: 'signIn', tag, summary: 'Signs in.', errors: [401, 429, 503] },
    schemas: { body: signInBody, response: { 200: signedIn } },
    async handle(request, reply) {
      const client = clientOf(request);
      await services.signInTries.count(client);
      return services.signInBackoff.try(request.body.email, client, () => forward(request, reply));
    },
  });
  const signOut = defineEndpoint(`POST ${SIGN_OUT}`, {
    ...ownPages,
    openapi: { id: 'signOut', tag, summary: 'Signs out.', errors: [429, 503] },
    schemas: { body: z.object({}).nullish(), response: { 200: signedOut } },
    handle: forward,
  });
  const getSession = defineEndpoint(`GET ${AUTH_BASE_PATH}/get-session`, {
    ...open,
    openapi: { id: 'getSession', tag, summary: 'Session of the cookie, or null.', errors: [429, 503] },
    schemas: { response: { 200: currentSession } },
    handle: forward,
  });
  return [signIn, signOut, getSession];
}

function setupEndpoints({ setup }: Services): readonly Endpoint[] {
  const getSetup = defineEndpoint(`GET ${SETUP}`, {
    ...open,
    openapi: { id: 'getSetup', tag, summary: 'Reports if the account can be created.' },
    schemas: { response: { 200: setupState } },
    handle: async () => ({ needed: await setup.isOpen() }),
  });
  const createAccount = defineEndpoint(`POST ${SETUP}`, {
    ...ownPages,
    openapi: { id: 'createFirstAccount', tag, summary: 'Creates the first account.', errors: [401, 409, 429, 503] },
    schemas: { body: setupBody, response: { 201: setUp } },
    async handle(request, reply) {
      // Hash the password only with a valid token.
      const result = await withPriority(() => setup.complete(request.body));
      if (result === 'closed')
        throw conflict('There is an account already, or none can be created now.', 'setup_closed');
      if (result === 'wrong token')
        throw unauthorized('This is not the setup token that was printed at the start.', 'invalid_credentials');
      return reply.code(201).send({ success: true, message: 'The account was created: sign in.' });
    },
  });
  return [getSetup, createAccount];
}

/**
 * Creates the function that passes a request to better-auth and returns its response, with errors in the service's
 * format.
 */
function createForward(services: Services) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const base = services.config.http.publicUrl ?? ownOrigin(request, services);
    const { origin } = new URL(base);
    const headers = new Headers({
      [CLIENT_ADDRESS_HEADER]: addressOf(request),
      'content-type': 'application/json',
    });
    for (const name of ['cookie', 'user-agent'] as const) {
      const value = request.headers[name];
      if (value !== undefined) headers.set(name, value);
    }
    // better-auth's check knows one origin only. The service's own check runs before, and also accepts the requested
    // host.
    if (request.headers.origin !== undefined) headers.set('origin', origin);
    const body = request.method === 'POST' ? { body: JSON.stringify(request.body ?? {}) } : {};
    // Path of the endpoint, without encoded characters.
    const path = request.routeOptions.url ?? '';
    const answer = await services.auth.handler(
      new Request(origin + path, { method: request.method, headers, ...body }),
    );
    if (!answer.ok) throw await toProblem(answer);
    if (path === SIGN_OUT) await assertEnded(request, services);
    passCookies(request, reply, answer.headers.getSetCookie());
    return reply
      .code(answer.status)
      .type('application/json; charset=utf-8')
      .send(await answer.text());
  };
}

/** better-auth reports success even when the database could not end the session. */
async function assertEnded({ headers }: FastifyRequest, { sessions, changes }: Services): Promise<void> {
  if (presentedSession(headers) === undefined) return;
  await changes.access();
  await learnSession(headers, sessions);
  if (recallSession(headers, sessions) !== undefined)
    throw unavailable('The session could not be ended.', 'database_unavailable', RETRY_SECONDS);
}

async function toProblem(answer: Response): Promise<HttpProblem> {
  // Inside it, only the database can fail.
  if (answer.status >= 500)
    return unavailable('The accounts cannot be reached at the moment.', 'database_unavailable', RETRY_SECONDS);
  const said: unknown = await answer.json().catch(() => undefined);
  const reason = z.object({ message: z.string() }).safeParse(said).data?.message ?? 'The request was refused.';
  if (answer.status === 401) return unauthorized(`${reason}.`, 'invalid_credentials');
  const retryAfter = answer.headers.get('x-retry-after');
  return new HttpProblem(codeOfStatus(answer.status), reason, {
    ...(answer.status !== 429 && { label: 'Authentication failed' }),
    ...(retryAfter && { headers: { 'Retry-After': retryAfter } }),
  });
}
