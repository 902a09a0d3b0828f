import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { PASSWORD_LENGTH } from '../../auth/accounts.ts';
import { AUTH_BASE_PATH } from '../../auth/auth.ts';
import type { Acceptance } from '../../auth/invitations.ts';
import { withPriority } from '../../auth/passwords.ts';
import { conflict, unauthorized, unavailable } from '../../errors.ts';
import type { Services } from '../../library-services.ts';
import { actorOf, noteActor } from '../admission/actor.ts';
import { clientOf } from '../admission/client-address.ts';
import { learnSession, presentedSession, recallSession } from '../admission/credentials.ts';
import { defineEndpoint, type Endpoint, type RouteContext } from '../endpoints/endpoint.ts';
import type { AuditTrail } from '../observe/audit-trail.ts';
import {
  AUTH_RETRY_SECONDS,
  type AuthAnswer,
  askAuth,
  endSession,
  findHolder,
  passwordSignInDisabled,
  sendAuth,
  signInNewAccount,
} from './auth-forward.ts';

const SIGN_OUT = `${AUTH_BASE_PATH}/sign-out`;
const SETUP = `${AUTH_BASE_PATH}/setup`;
const MAX_ADDRESS = 254;

const time = z.iso.datetime();
export const user = z.object({
  id: z.string(),
  email: z.string(),
  name: z.string(),
  emailVerified: z.boolean(),
  image: z.string().nullish(),
  createdAt: time,
  updatedAt: time,
  twoFactorEnabled: z.boolean().optional().describe('True if signing in needs a second factor.'),
});

/** The public fields of an account. */
export function toUser(row: Acceptance['user']): z.output<typeof user> {
  const { id, email, name, emailVerified, image, createdAt, updatedAt, twoFactorEnabled } = row;
  return {
    id,
    email,
    name,
    emailVerified: emailVerified !== 0,
    image,
    createdAt,
    updatedAt,
    twoFactorEnabled: twoFactorEnabled !== 0,
  };
}

const session = z.object({ id: z.string(), userId: z.string(), expiresAt: time, createdAt: time, updatedAt: time });

const signInBody = z.object({ email: z.string(), password: z.string(), rememberMe: z.boolean().optional() });
const signedIn = z.object({ redirect: z.boolean(), token: z.string(), user });
const codeNeeded = z.object({
  twoFactorRedirect: z.literal(true).describe('A code is needed: there is no session yet.'),
  twoFactorMethods: z.array(z.string()),
});
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
export function authRoutes({ services, trail }: RouteContext): readonly Endpoint[] {
  return [...sessionEndpoints(services, trail), ...setupEndpoints(services, trail)];
}

function sessionEndpoints(services: Services, trail: AuditTrail): readonly Endpoint[] {
  const signIn = defineEndpoint(`POST ${AUTH_BASE_PATH}/sign-in/email`, {
    ...ownPages,
    audit: 'session.started',
    outcome: () => [],
    refusal: ({ body }) => ({ action: 'session.failed', target: addressIn(body.email) }),
    openapi: { id: 'signIn', tag, summary: 'Signs in.', errors: [401, 403, 429, 503] },
    schemas: { body: signInBody, response: { 200: z.union([signedIn, codeNeeded]) } },
    async handle(request, reply) {
      const client = clientOf(request);
      await services.signInTries.count(client);
      if (services.config.auth.signIn.password === 'false') throw passwordSignInDisabled();
      const signIn = () => askAuth(request, services);
      const answer = await services.signInBackoff.try(request.body.email, client, signIn, isComplete);
      if (isComplete(answer)) trail.note(request, { action: 'session.started' });
      return sendAuth(request, reply, answer);
    },
  });
  const signOut = defineEndpoint(`POST ${SIGN_OUT}`, {
    ...ownPages,
    audit: 'session.ended',
    outcome: ({ raw }) => (actorOf(raw) ? {} : []),
    openapi: { id: 'signOut', tag, summary: 'Signs out.', errors: [429, 503] },
    schemas: { body: z.object({}).nullish(), response: { 200: signedOut } },
    async handle(request, reply) {
      const user = await findHolder(request, services).catch(() => undefined);
      if (user) noteActor(request, { type: 'user', id: user.userId, name: user.name });
      const answer = await endSession(request, services);
      await assertEnded(request, services);
      return sendAuth(request, reply, answer);
    },
  });
  const getSession = defineEndpoint(`GET ${AUTH_BASE_PATH}/get-session`, {
    ...open,
    openapi: { id: 'getSession', tag, summary: 'Session of the cookie, or null.', errors: [429, 503] },
    schemas: { response: { 200: currentSession } },
    handle: async (request, reply) => sendAuth(request, reply, await askAuth(request, services)),
  });
  return [signIn, signOut, getSession];
}

/** True if the password was all that was needed. */
function isComplete({ body }: AuthAnswer): boolean {
  return !codeNeeded.safeParse(body).success;
}

function setupEndpoints(services: Services, trail: AuditTrail): readonly Endpoint[] {
  const { setup, config } = services;
  const getSetup = defineEndpoint(`GET ${SETUP}`, {
    ...open,
    openapi: { id: 'getSetup', tag, summary: 'Reports if the account can be created.' },
    schemas: { response: { 200: setupState } },
    handle: async () => ({ needed: await setup.isOpen() }),
  });
  const createAccount = defineEndpoint(`POST ${SETUP}`, {
    ...ownPages,
    audit: 'account.created',
    openapi: {
      id: 'createFirstAccount',
      tag,
      summary: 'Creates the first account.',
      description:
        'Where nobody signs in with a password (`PASSWORD_SIGN_IN`), it also begins the session of the account.',
      errors: [401, 409, 429, 503],
    },
    schemas: { body: setupBody, response: { 201: setUp } },
    async handle(request, reply) {
      // Hash the password only with a valid token.
      const result = await withPriority(() => setup.complete(request.body));
      if (result === 'closed')
        throw conflict('There is an account already, or none can be created now.', 'setup_closed');
      if (result === 'wrong token')
        throw unauthorized('This is not the setup token that was printed at the start.', 'invalid_credentials');
      const { id, email } = result;
      trail.note(request, { action: 'account.created', target: email });
      reply.code(201);
      if (config.auth.signIn.password !== 'false') {
        return { success: true, message: 'The account was created: sign in.' };
      }
      // There would be no other way in before the account is connected with an identity.
      await signInNewAccount(request, reply, services, id);
      trail.note(request, { action: 'session.started' });
      return { success: true, message: 'The account was created and is signed in: connect it with an identity.' };
    },
  });
  return [getSetup, createAccount];
}

/** The address of a failed sign-in, unless it may be a password in the wrong field. */
function addressIn(text: string): string | undefined {
  return /^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(text) && text.length <= MAX_ADDRESS ? text : undefined;
}

/** better-auth reports success even when the database could not end the session. */
async function assertEnded({ headers }: FastifyRequest, { sessions, changes }: Services): Promise<void> {
  if (presentedSession(headers) === undefined) return;
  await changes.access();
  await learnSession(headers, sessions);
  if (recallSession(headers, sessions) !== undefined)
    throw unavailable('The session could not be ended.', 'database_unavailable', AUTH_RETRY_SECONDS);
}
