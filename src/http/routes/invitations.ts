import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { PASSWORD_LENGTH } from '../../auth/accounts.ts';
import { AUTH_BASE_PATH } from '../../auth/auth.ts';
import { type Acceptance, unknownInvitation } from '../../auth/invitations.ts';
import { ROLES } from '../../auth/roles.ts';
import { type ErrorCode, HttpProblem } from '../../errors.ts';
import type { Services } from '../../library-services.ts';
import { findSessionCaller } from '../admission/caller.ts';
import { clientOf } from '../admission/client-address.ts';
import { defineEndpoint, type Endpoint, type RouteContext } from '../endpoints/endpoint.ts';
import { toUser, user } from './auth.ts';
import { signInNewAccount } from './auth-forward.ts';

const INVITATION = `${AUTH_BASE_PATH}/invitation`;

const token = z.string().max(200);
const describeBody = z.strictObject({ token });
const terms = z.object({
  space: z.object({ id: z.string(), name: z.string() }).nullable().describe('Null for the installation.'),
  role: z.enum(ROLES),
  email: z.string().nullable().describe('The only address that may accept it; null for any.'),
  invitedBy: z.string().nullable().describe('Name of the person who created it; null for an API key.'),
});
const acceptBody = z.strictObject({
  token,
  name: z.string().trim().min(1).max(100).optional().describe('Default: the address up to its `@`.'),
  email: z.email().max(254).optional().describe('Default: the invited address.'),
  password: z.string().min(PASSWORD_LENGTH.min).max(PASSWORD_LENGTH.max).optional(),
});
const accepted = z.object({ success: z.boolean(), user });

/** Errors that tell something about other people. */
const GUESSES: readonly ErrorCode[] = ['invitation_not_found', 'account_exists'];

const tag = 'People';
const ownPages = { access: 'own pages', noStore: true } as const;

/** Endpoints for the holder of an invitation's token. */
export function invitationRoutes({ services, trail }: RouteContext): readonly Endpoint[] {
  const { invitations } = services;
  const describe = defineEndpoint(`POST ${INVITATION}`, {
    ...ownPages,
    openapi: { id: 'describeInvitation', tag, summary: 'Terms of an invitation.', errors: [404, 429, 503] },
    schemas: { body: describeBody, response: { 200: terms } },
    handle: (request) =>
      countGuesses(request, services, async () => {
        const found = await invitations.describe(request.body.token);
        if (found === undefined) throw unknownInvitation();
        return found;
      }),
  });

  const accept = defineEndpoint(`POST ${INVITATION}/accept`, {
    ...ownPages,
    audit: 'member.joined',
    openapi: {
      id: 'acceptInvitation',
      tag,
      summary: 'Accepts an invitation.',
      description:
        'Creates an account and signs it in. With a session, the account of the session gets the role, and the other fields are not read.',
      errors: [403, 404, 409, 429, 503],
    },
    schemas: { body: acceptBody, response: { 200: accepted } },
    async handle(request, reply) {
      const { token, ...fields } = request.body;
      const caller = await findSessionCaller(request, reply, services);
      const guest = caller === undefined ? fields : { userId: caller.id };
      const within = trail.within<Acceptance>(request, ({ user, space, role }) => ({
        action: 'member.joined',
        target: user.id,
        detail: { role },
        space,
        actor: { type: 'user', id: user.id, name: user.name },
      }));
      const { user, isNew } = await countGuesses(request, services, () => invitations.accept(token, guest, within));
      if (isNew) await signInNewAccount(request, reply, services, user.id);
      return { success: true, user: toUser(user) };
    },
  });
  return [describe, accept];
}

/**
 * Counts wrong tokens as sign-ins of their client, and addresses that have an account: an invitation for any address
 * must not tell who has one. @throws HttpProblem 429 instead of 404 and 409 for too many
 */
async function countGuesses<T>(request: FastifyRequest, services: Services, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const isGuess = error instanceof HttpProblem && GUESSES.includes(error.code);
    if (isGuess) await services.signInTries.count(clientOf(request));
    throw error;
  }
}
