import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { INVITATION_SECONDS, MAX_OPEN_INVITATIONS } from '../../auth/invitations.ts';
import type { Actor } from '../../auth/member-rows.ts';
import { ROLES } from '../../auth/roles.ts';
import type { Services } from '../../library-services.ts';
import { callerOf } from '../admission/caller.ts';
import { ownOrigin } from '../admission/origin.ts';
import { spaceOf } from '../admission/space.ts';
import { defineEndpoint, type Endpoint, type RouteContext } from '../endpoints/endpoint.ts';
import type { AuditTrail } from '../observe/audit-trail.ts';

const time = z.iso.datetime();
const role = z.enum(ROLES);

const member = z
  .object({
    userId: z.string(),
    name: z.string(),
    email: z.string(),
    role,
    source: z.enum(['given', 'oidc']).describe('`oidc` if each sign-in through the identity provider sets the role.'),
    twoFactor: z.boolean().describe('True if the account has a second factor.'),
    createdAt: time,
  })
  .meta({ id: 'Member' });

const invitation = z
  .object({
    id: z.string(),
    email: z.string().nullable().describe('The only address that may accept it; null for any.'),
    role,
    createdBy: z.string().nullable().describe('`userId`; null for an API key.'),
    createdAt: time,
    expiresAt: time,
  })
  .meta({ id: 'Invitation' });

const memberParams = z.object({ userId: z.string() });
const memberBody = z.strictObject({ role });
const invitationParams = z.object({ invitationId: z.string() });
const invitationBody = z.strictObject({
  role,
  email: z
    .email()
    .max(254)
    .optional()
    .describe('The only address that may accept it; without it, everyone with the link may.'),
  expiresIn: z
    .number()
    .int()
    .min(INVITATION_SECONDS.min)
    .max(INVITATION_SECONDS.max)
    .default(INVITATION_SECONDS.standard)
    .describe('Seconds: an hour to 30 days.'),
});
const list = z.object({ members: z.array(member), invitations: z.array(invitation) });
const changed = z.object({ success: z.boolean(), member });
const invited = z.object({
  success: z.boolean(),
  invitation,
  url: z.string().describe('Page at which it is accepted; returned only in this response.'),
});
const done = z.object({ success: z.boolean() });

const tag = 'People';
const RULE = 'Nobody gives, changes or removes a role above the own one; an API key counts as `admin`.';
/** Responses are for this client only, so no cache may store them. */
const access = { access: 'admin', noStore: true } as const;

/** Endpoints for people with a role, and for invitations of more. */
export function memberRoutes({ services, trail }: RouteContext): readonly Endpoint[] {
  return [...memberEndpoints(services, trail), ...invitationEndpoints(services, trail)];
}

function memberEndpoints({ members, invitations }: Services, trail: AuditTrail): readonly Endpoint[] {
  const listAll = defineEndpoint('GET /members', {
    ...access,
    openapi: { id: 'listMembers', tag, summary: 'Lists members and open invitations.' },
    schemas: { response: { 200: list } },
    async handle(request) {
      const space = spaceOf(request);
      return { members: await members.list(space), invitations: await invitations.list(space) };
    },
  });

  const update = defineEndpoint('PATCH /members/:userId', {
    ...access,
    audit: 'member.changed',
    openapi: { id: 'updateMember', tag, summary: 'Changes a role.', description: RULE, errors: [404, 409, 503] },
    schemas: { params: memberParams, body: memberBody, response: { 200: changed } },
    async handle(request) {
      const { userId } = request.params;
      const { role: newRole } = request.body;
      const within = trail.within(request, () => ({
        action: 'member.changed',
        target: userId,
        detail: { role: newRole },
      }));
      const change = { userId, role: newRole, within, ...whereAndWho(request) };
      return { success: true, member: await members.change(change) };
    },
  });

  const remove = defineEndpoint('DELETE /members/:userId', {
    ...access,
    audit: 'member.removed',
    openapi: {
      id: 'removeMember',
      tag,
      summary: 'Removes a member.',
      description: `An account without another role is deleted, with its sessions. ${RULE}`,
      errors: [404, 409, 503],
    },
    schemas: { params: memberParams, response: { 200: done } },
    async handle(request) {
      const { userId } = request.params;
      const within = trail.within(request, () => ({ action: 'member.removed', target: userId }));
      await members.remove({ userId, within, ...whereAndWho(request) });
      return { success: true };
    },
  });
  return [listAll, update, remove];
}

function invitationEndpoints({ invitations, config }: Services, trail: AuditTrail): readonly Endpoint[] {
  const create = defineEndpoint('POST /members/invitations', {
    ...access,
    audit: 'member.invited',
    openapi: {
      id: 'createInvitation',
      tag,
      summary: 'Creates an invitation.',
      description: `At most ${MAX_OPEN_INVITATIONS} are open. ${RULE}`,
      errors: [409, 503],
    },
    schemas: { body: invitationBody, response: { 200: invited } },
    async handle(request) {
      const { role, email, expiresIn } = request.body;
      const within = trail.within(request, () => ({
        action: 'member.invited',
        target: email ?? null,
        detail: { role, expiresIn },
      }));
      const terms = { role, email, expiresInSeconds: expiresIn, within, ...whereAndWho(request) };
      const { token, invitation } = await invitations.create(terms);
      const base = config.http.publicUrl ?? ownOrigin(request, { config });
      // Browsers send no fragments, so no log gets the token.
      return { success: true, invitation, url: `${base}/dashboard/invitation#token=${token}` };
    },
  });

  const remove = defineEndpoint('DELETE /members/invitations/:invitationId', {
    ...access,
    audit: 'member.removed',
    openapi: { id: 'deleteInvitation', tag, summary: 'Deletes an invitation.', description: RULE, errors: [404, 503] },
    schemas: { params: invitationParams, response: { 200: done } },
    async handle(request) {
      const { invitationId } = request.params;
      const within = trail.within(request, () => ({
        action: 'member.removed',
        target: null,
        detail: { invitation: invitationId },
      }));
      await invitations.remove(invitationId, { within, ...whereAndWho(request) });
      return { success: true };
    },
  });
  return [create, remove];
}

function whereAndWho(request: FastifyRequest): { space: string; actor: Actor } {
  return { space: spaceOf(request), actor: callerOf(request) };
}
