import { queryOptions } from '@tanstack/react-query';
import { call } from './call.ts';
import type { Answers } from './types.ts';

export type Member = Answers['listMembers']['members'][number];
export type Invitation = Answers['listMembers']['invitations'][number];
export type Role = Member['role'];

/** Each with all rights of those before it. */
export const ROLES = ['viewer', 'contributor', 'editor', 'admin', 'owner'] as const satisfies readonly Role[];

/** Roles that a person with this one may give, change and remove. */
export const rolesUpTo = (own: Role): readonly Role[] => ROLES.slice(0, ROLES.indexOf(own) + 1);

export const membersQuery = queryOptions({
  queryKey: ['members'],
  queryFn: ({ signal }) => call('listMembers', 'members', { signal }),
});

export const updateMember = (userId: string, role: Role) =>
  call('updateMember', `members/${encodeURIComponent(userId)}`, { method: 'PATCH', json: { role } });

export const removeMember = (userId: string) =>
  call('removeMember', `members/${encodeURIComponent(userId)}`, { method: 'DELETE' });

interface NewInvitation {
  role: Role;
  email?: string;
  /** Seconds. */
  expiresIn: number;
}

export const createInvitation = (invitation: NewInvitation) =>
  call('createInvitation', 'members/invitations', { method: 'POST', json: invitation });

export const deleteInvitation = (id: string) =>
  call('deleteInvitation', `members/invitations/${encodeURIComponent(id)}`, { method: 'DELETE' });
