import { useInfiniteQuery } from '@tanstack/react-query';
import { auditQuery } from '../api/audit.ts';
import type { Invitation, Member } from '../api/people.ts';
import { peopleMessages } from '../messages/people.ts';

interface Listed {
  members: readonly Member[];
  invitations: readonly Invitation[];
}

/**
 * Names of those who created invitations. Admins of the installation invite into spaces without being members of them:
 * the audit log of the space has their names.
 */
export function useSenders({ members, invitations }: Listed): (invitation: Invitation) => string {
  const names = new Map(members.map(({ userId, name }) => [userId, name]));
  const isUnknown = ({ createdBy }: Invitation) => createdBy !== null && !names.has(createdBy);
  const { data, isLoading } = useInfiniteQuery({
    ...auditQuery({ action: 'member.invited' }),
    enabled: invitations.some(isUnknown),
  });
  for (const { actor } of data?.pages.flatMap(({ entries }) => entries) ?? [])
    if (actor.id !== null && actor.name !== null && !names.has(actor.id)) names.set(actor.id, actor.name);
  return ({ createdBy }) =>
    createdBy === null ? peopleMessages.byKey : (names.get(createdBy) ?? (isLoading ? '…' : peopleMessages.byFormer));
}
