import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { PASSWORD_LENGTH } from '../../auth/accounts.ts';
import { AUTH_BASE_PATH } from '../../auth/auth.ts';
import { BACKUP_CODES } from '../../auth/second-factor.ts';
import { HttpProblem } from '../../errors.ts';
import type { Services } from '../../library-services.ts';
import { noteSessionSpace } from '../admission/actor.ts';
import { callerOf } from '../admission/caller.ts';
import { clientOf } from '../admission/client-address.ts';
import { presentedSession } from '../admission/credentials.ts';
import { defineEndpoint, type Endpoint, type RouteContext } from '../endpoints/endpoint.ts';
import type { AuditTrail } from '../observe/audit-trail.ts';
import { sessionOf } from './account.ts';
import { user } from './auth.ts';
import { type AuthAnswer, askAuth, authHeaders, findHolder, sendAuth } from './auth-forward.ts';

const passwordBody = z.object({ password: z.string().min(1).max(PASSWORD_LENGTH.max) });
const enabled = z.object({
  totpURI: z.string().describe('`otpauth://totp/...`, for the QR code of an authenticator app.'),
  backupCodes: z.array(z.string()).describe(`${BACKUP_CODES} codes, each valid once, shown only here.`),
});
const totpBody = z.object({
  code: z
    .string()
    .regex(/^\d{6}$/, 'expected 6 digits')
    .describe('Six digits of the authenticator app.'),
});
const backupBody = z.object({ code: z.string().min(1).max(32).describe('A backup code.') });
const verified = z.object({ token: z.string(), user });
const done = z.object({ success: z.boolean() });

const tag = 'Account';
const own = { access: 'session', noStore: true } as const;
/** The handler notes what has happened: a session has begun, or an account has a second factor. */
const verification = { access: 'own pages', noStore: true, audit: 'session.started', outcome: () => [] } as const;
const PATH = `${AUTH_BASE_PATH}/two-factor`;

/** The second factor of an account: codes of an authenticator app, and backup codes. */
export function twoFactorRoutes({ services, trail }: RouteContext): readonly Endpoint[] {
  return [...switches(services), ...checks(services, trail)];
}

function switches(services: Services): readonly Endpoint[] {
  const enable = defineEndpoint(`POST ${PATH}/enable`, {
    ...own,
    openapi: {
      id: 'enableTwoFactor',
      tag,
      summary: 'Creates a secret for an authenticator app.',
      description: 'Signing in needs a code once `POST /api/auth/two-factor/verify-totp` has confirmed one.',
      errors: [409, 503],
    },
    schemas: { body: passwordBody, response: { 200: enabled } },
    async handle(request) {
      const { body } = await askWithPassword(request, services);
      await services.database.file.assertDurable();
      const { totpURI, backupCodes } = enabled.parse(body);
      return { totpURI, backupCodes };
    },
  });
  const disable = defineEndpoint(`POST ${PATH}/disable`, {
    ...own,
    audit: 'account.two_factor_disabled',
    outcome: (request) => ({ target: callerOf(request).id }),
    openapi: { id: 'disableTwoFactor', tag, summary: 'Turns the second factor off.', errors: [503] },
    schemas: { body: passwordBody, response: { 200: done } },
    async handle(request, reply) {
      const answer = await askWithPassword(request, services);
      await settle(request, services);
      return sendAuth(request, reply, { ...answer, text: JSON.stringify({ success: true }) });
    },
  });
  return [enable, disable];
}

function checks(services: Services, trail: AuditTrail): readonly Endpoint[] {
  const verifyTotp = defineEndpoint(`POST ${PATH}/verify-totp`, {
    ...verification,
    openapi: {
      id: 'verifyTotp',
      tag,
      summary: 'Completes a sign-in with a code of the authenticator app, or confirms the app.',
      description: 'A code is accepted once. After ten wrong codes in a row this is 429 for 15 minutes.',
      errors: [401, 409, 429, 503],
    },
    schemas: { body: totpBody, response: { 200: verified } },
    handle: (request, reply) => verify(request, reply, services, trail),
  });
  const verifyBackupCode = defineEndpoint(`POST ${PATH}/verify-backup-code`, {
    ...verification,
    openapi: {
      id: 'verifyBackupCode',
      tag,
      summary: 'Completes a sign-in with a backup code, which is used up.',
      errors: [401, 409, 429, 503],
    },
    schemas: { body: backupBody, response: { 200: verified } },
    handle: (request, reply) => verify(request, reply, services, trail),
  });
  return [verifyTotp, verifyBackupCode];
}

/** A stolen session must not allow faster guesses of the password than sign-in does. */
async function askWithPassword(request: FastifyRequest, services: Services): Promise<AuthAnswer> {
  const { sessionId } = await sessionOf(request, services);
  await services.signInTries.count(clientOf(request));
  return services.signInBackoff.tryInSession(sessionId, () => askAuth(request, services));
}

async function verify(
  request: FastifyRequest,
  reply: FastifyReply,
  services: Services,
  trail: AuditTrail,
): Promise<FastifyReply> {
  const client = clientOf(request);
  await services.signInTries.count(client);
  const holder = await findHolder(request, services);
  const answer = await (holder ? askAuth(request, services) : completeSignIn(request, services, trail));
  await settle(request, services);
  if (holder === undefined) trail.note(request, { action: 'session.started', detail: { secondFactor: true } });
  else if (!holder.hasSecondFactor) {
    trail.note(request, { action: 'account.two_factor_enabled', target: holder.userId });
  }
  const signedIn = verified.safeParse(answer.body).data;
  if (signedIn) await services.signInBackoff.complete(signedIn.user.email, client);
  return sendAuth(request, reply, answer);
}

/** Asks for a session after the right password. A refusal leaves an entry in the audit log. */
async function completeSignIn(request: FastifyRequest, services: Services, trail: AuditTrail): Promise<AuthAnswer> {
  const { email, space } = await services.auth.api.findChallenged({ headers: authHeaders(request) });
  if (space !== null) noteSessionSpace(request, space);
  try {
    return await askAuth(request, services);
  } catch (error) {
    if (error instanceof HttpProblem && error.status < 500) {
      trail.failed(request, { action: 'session.failed', target: email, detail: { secondFactor: true } });
    }
    throw error;
  }
}

/** better-auth replaces a session whose account has changed: caches must not serve the previous one. */
async function settle({ headers }: FastifyRequest, { changes, database }: Services): Promise<void> {
  if (presentedSession(headers) !== undefined) await changes.access();
  await database.file.assertDurable();
}
