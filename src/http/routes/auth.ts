import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { PASSWORD_LENGTH } from '../../auth/accounts.ts';
import { AUTH_BASE_PATH, CLIENT_ADDRESS_HEADER } from '../../auth/auth.ts';
import { conflict, HttpProblem, unauthorized, unavailable } from '../../errors.ts';
import type { Services } from '../../services.ts';
import { clientOf, createAddressReader } from '../admission/client-address.ts';
import { presentedSession } from '../admission/credentials.ts';
import { ownOrigin, requireOwnOrigin } from '../admission/origin.ts';
import { passCookies } from '../admission/set-cookies.ts';
import { withSchemas } from '../bodies/bodies.ts';

const SIGN_OUT = `${AUTH_BASE_PATH}/sign-out`;
const RETRY_SECONDS = 5;

const time = z.iso.datetime();
const user = z.object({
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
const setupState = z.object({ needed: z.boolean().describe('Whether the first account can be created now.') });

/** Signing in and out, by better-auth; and the first visit, which creates the one account. */
export function authRoutes(app: FastifyInstance, services: Services): void {
  const forward = createForward(services);
  app.register(async (plain) => {
    const scope = withSchemas(plain);
    scope.addHook('onRequest', async (_request, reply) => void reply.header('Cache-Control', 'no-store'));
    const signIn = { body: signInBody, response: { 200: signedIn } };
    const signingIn = { schema: signIn, onRequest: refuseForeignOrigin };
    scope.post(`${AUTH_BASE_PATH}/sign-in/email`, signingIn, (request, reply) => {
      const client = clientOf(request);
      services.signInTries.count(client);
      return services.signInBackoff.try(request.body.email, client, () => forward(request, reply));
    });
    const signOut = { body: z.object({}).nullish(), response: { 200: signedOut } };
    scope.post(SIGN_OUT, { schema: signOut, onRequest: refuseForeignOrigin }, forward);
    scope.get(`${AUTH_BASE_PATH}/get-session`, { schema: { response: { 200: currentSession } } }, forward);
    scope.get(`${AUTH_BASE_PATH}/setup`, { schema: { response: { 200: setupState } } }, async () => ({
      needed: await services.setup.isOpen(),
    }));
    const setup = { body: setupBody, response: { 201: setUp } };
    scope.post(`${AUTH_BASE_PATH}/setup`, { schema: setup, onRequest: refuseForeignOrigin }, async (request, reply) => {
      const result = await services.setup.complete(request.body);
      if (result === 'closed') throw conflict('There is an account already, or none can be created now.');
      if (result === 'wrong token') throw unauthorized('This is not the setup token that was printed at the start.');
      return reply.code(201).send({ success: true, message: 'The account was created: sign in.' });
    });
  });

  /** A page of another site may neither end our session nor begin one of its own. */
  async function refuseForeignOrigin(request: FastifyRequest): Promise<void> {
    const { origin, cookie } = request.headers;
    if (origin !== undefined || cookie !== undefined) requireOwnOrigin(request, services);
  }
}

/** Hands a request on to better-auth and its answer back, errors in our own shape. */
function createForward(services: Services) {
  const readAddress = createAddressReader(services.config.http.trustedProxies);
  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const base = services.config.http.publicUrl ?? ownOrigin(request, services);
    const { origin } = new URL(base);
    const headers = new Headers({
      [CLIENT_ADDRESS_HEADER]: readAddress(request.raw),
      'content-type': 'application/json',
    });
    for (const name of ['cookie', 'user-agent'] as const) {
      const value = request.headers[name];
      if (value !== undefined) headers.set(name, value);
    }
    // Its own check knows one origin; ours, made before, knows by which host the service was reached as well.
    if (request.headers.origin !== undefined) headers.set('origin', origin);
    const body = request.method === 'POST' ? { body: JSON.stringify(request.body ?? {}) } : {};
    const { pathname } = new URL(request.url, origin);
    const answer = await services.auth.handler(
      new Request(origin + pathname, { method: request.method, headers, ...body }),
    );
    if (!answer.ok) throw await toProblem(answer);
    if (pathname === SIGN_OUT) await assertEnded(request, services);
    passCookies(request, reply, answer.headers.getSetCookie());
    return reply
      .code(answer.status)
      .type('application/json; charset=utf-8')
      .send(await answer.text());
  };
}

/** better-auth says yes also when the database did not let it end the session. */
async function assertEnded({ raw, headers }: FastifyRequest, { sessions }: Services): Promise<void> {
  const presented = presentedSession(raw.rawHeaders);
  if (presented === undefined) return;
  sessions.forget(presented);
  await sessions.learn(headers.cookie ?? '', presented);
  if (sessions.recall(presented)?.isGood !== false) throw unavailable('The session could not be ended.', RETRY_SECONDS);
}

async function toProblem(answer: Response): Promise<HttpProblem> {
  // Its only inner errors are those of the database.
  if (answer.status >= 500) return unavailable('The accounts cannot be reached at the moment.', RETRY_SECONDS);
  const said: unknown = await answer.json().catch(() => undefined);
  const reason = z.object({ message: z.string() }).safeParse(said).data?.message ?? 'The request was refused.';
  if (answer.status === 401) return unauthorized(`${reason}.`);
  const retryAfter = answer.headers.get('x-retry-after');
  const label = answer.status === 429 ? 'Too many requests' : 'Authentication failed';
  return new HttpProblem(answer.status, label, reason, retryAfter ? { headers: { 'Retry-After': retryAfter } } : {});
}
