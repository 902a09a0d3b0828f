import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { PASSWORD_LENGTH } from '../../auth/accounts.ts';
import { AUTH_BASE_PATH } from '../../auth/auth.ts';
import type { SessionHolder } from '../../auth/session-holder.ts';
import { unauthorized } from '../../errors.ts';
import type { Services } from '../../library-services.ts';
import { clientOf } from '../admission/client-address.ts';
import { presentedSession } from '../admission/credentials.ts';
import { spaceOf } from '../admission/space.ts';
import { defineEndpoint, type Endpoint, type RouteContext } from '../endpoints/endpoint.ts';
import type { AuditTrail } from '../observe/audit-trail.ts';
import { toUser, user } from './auth.ts';

const time = z.iso.datetime();
const currentPassword = z.string().min(1).max(PASSWORD_LENGTH.max);
const passwordBody = z.strictObject({
  currentPassword,
  newPassword: z.string().min(PASSWORD_LENGTH.min).max(PASSWORD_LENGTH.max),
  revokeOthers: z.boolean().default(true).describe('Ends all other sessions.'),
});
const accountBody = z
  .strictObject({
    name: z.string().trim().min(1).max(100).optional(),
    email: z.email().max(254).optional().describe('Address for signing in; a change needs `currentPassword`.'),
    currentPassword: currentPassword.optional(),
  })
  .refine(
    ({ name, email }) => name !== undefined || email !== undefined,
    'expected "name" or "email", received neither',
  );
const session = z.object({
  id: z.string(),
  current: z.boolean().describe('True for the session of this request.'),
  createdAt: time,
  expiresAt: time,
  address: z.string().nullable(),
  userAgent: z.string().nullable(),
});
const done = z.object({ success: z.boolean() });

const ADDRESS_CHANGES = 'changes of the address of one account';

const tag = 'Account';
const own = { access: 'session', noStore: true } as const;
const SESSIONS = `${AUTH_BASE_PATH}/sessions`;

/** Endpoints of the account. They need a session, because keys are for programs. */
export function accountRoutes({ services, trail }: RouteContext): readonly Endpoint[] {
  return [...accountEndpoints(services, trail), ...sessionEndpoints(services, trail)];
}

/** Each check of the password counts as a sign-in of its client: a stolen session must not allow faster guesses. */
function accountEndpoints(services: Services, trail: AuditTrail): readonly Endpoint[] {
  const { account, signInTries } = services;
  const changePassword = defineEndpoint(`POST ${AUTH_BASE_PATH}/change-password`, {
    ...own,
    audit: 'account.password_changed',
    openapi: { id: 'changePassword', tag, summary: 'Changes the password.', errors: [503] },
    schemas: { body: passwordBody, response: { 200: done } },
    async handle(request) {
      const session = await sessionOf(request, services);
      const within = trail.within(request, () => ({
        action: 'account.password_changed',
        target: session.userId,
        detail: { revokeOthers: request.body.revokeOthers },
      }));
      await signInTries.count(clientOf(request));
      await account.changePassword(session, request.body, within);
      return { success: true };
    },
  });
  const update = defineEndpoint(`PATCH ${AUTH_BASE_PATH}/account`, {
    ...own,
    audit: 'account.changed',
    openapi: { id: 'updateAccount', tag, summary: 'Changes the name or the e-mail address.', errors: [409, 503] },
    schemas: { body: accountBody, response: { 200: z.object({ user }) } },
    async handle(request) {
      const session = await sessionOf(request, services);
      const { name, email, currentPassword } = request.body;
      if (currentPassword !== undefined) {
        await signInTries.count(clientOf(request));
        // From any number of clients: with the right password, the answer tells if an address has an account.
        if (email !== undefined) await signInTries.count(`address of ${session.userId}`, ADDRESS_CHANGES);
      }
      const within = trail.within(request, () => ({
        action: 'account.changed',
        target: session.userId,
        detail: { name, email },
      }));
      const row = await account.update(session, request.body, within);
      return { user: toUser(row) };
    },
  });
  return [changePassword, update];
}

function sessionEndpoints(services: Services, trail: AuditTrail): readonly Endpoint[] {
  const { account } = services;
  const list = defineEndpoint(`GET ${SESSIONS}`, {
    ...own,
    openapi: { id: 'listSessions', tag, summary: 'Lists the sessions, the newest first.' },
    schemas: { response: { 200: z.object({ sessions: z.array(session) }) } },
    async handle(request) {
      const current = await sessionOf(request, services);
      const sessions = await account.sessions(current);
      return { sessions: sessions.map((one) => ({ ...one, current: one.id === current.sessionId })) };
    },
  });
  const end = defineEndpoint(`DELETE ${SESSIONS}/:sessionId`, {
    ...own,
    audit: 'session.ended',
    openapi: { id: 'endSession', tag, summary: 'Ends a session.', errors: [404, 503] },
    schemas: { params: z.object({ sessionId: z.string() }), response: { 200: done } },
    async handle(request) {
      const { sessionId } = request.params;
      const within = trail.within(request, () => ({ action: 'session.ended', target: sessionId }));
      await account.endSession(await sessionOf(request, services), sessionId, within);
      return { success: true };
    },
  });
  const endOthers = defineEndpoint(`DELETE ${SESSIONS}`, {
    ...own,
    audit: 'session.ended',
    openapi: { id: 'endOtherSessions', tag, summary: 'Ends all other sessions.', errors: [503] },
    schemas: { response: { 200: done } },
    async handle(request) {
      const within = trail.within(request, () => ({ action: 'session.ended', detail: { others: true } }));
      await account.endOtherSessions(await sessionOf(request, services), within);
      return { success: true };
    },
  });
  return [list, end, endOthers];
}

/**
 * The session of a request that a guard has admitted.
 * @throws HttpProblem 401 when it has ended since
 */
export async function sessionOf(request: FastifyRequest, { findSessionHolder }: Services): Promise<SessionHolder> {
  const presented = presentedSession(request.headers);
  const holder = presented === undefined ? undefined : await findSessionHolder(presented, spaceOf(request));
  if (holder === undefined) throw unauthorized('The session has ended.');
  return holder;
}
