import { useState } from 'react';
import { deleteInvitation, type Invitation, type Member, type Role, rolesUpTo } from '../api/people.ts';
import { Button } from '../components/button.tsx';
import { Confirm } from '../components/dialog.tsx';
import { formatAgo, formatMoment } from '../components/format.ts';
import { Icon } from '../components/icon.tsx';
import { toast } from '../components/toasts.tsx';
import { peopleMessages } from '../messages/people.ts';
import { roleMessages } from '../messages/roles.ts';
import { explained } from './explain.ts';

interface InvitationRowProps {
  invitation: Invitation;
  members: readonly Member[];
  ownRole: Role;
  onChanged(): void;
}

export function InvitationRow({ invitation, members, ownRole, onChanged }: InvitationRowProps) {
  const { id, email, role, createdBy, expiresAt } = invitation;
  const [isConfirming, setConfirming] = useState(false);
  const who = email ?? peopleMessages.anyone;
  const withdraw = async () => {
    await explained(deleteInvitation(id), ownRole);
    toast(peopleMessages.withdrawn);
    onChanged();
  };
  return (
    <li className="invitation-row">
      <span className="row-sign">
        <Icon name="link" />
      </span>
      <div className="member-name">
        <h3>
          {who}
          <span className="badge">{roleMessages.name[role]}</span>
        </h3>
        <p className="quiet">
          {peopleMessages.invitedBy(nameOf(createdBy, members))} ·{' '}
          <time dateTime={expiresAt} title={formatMoment(expiresAt)}>
            {peopleMessages.expires(formatAgo(expiresAt))}
          </time>
        </p>
      </div>
      {rolesUpTo(ownRole).includes(role) && (
        <Button aria-label={peopleMessages.withdrawOne(who)} onPress={() => setConfirming(true)}>
          {peopleMessages.withdraw}
        </Button>
      )}
      {isConfirming && (
        <Confirm
          title={peopleMessages.withdrawTitle}
          text={peopleMessages.withdrawText}
          action={peopleMessages.withdraw}
          onConfirm={withdraw}
          onClose={() => setConfirming(false)}
        />
      )}
    </li>
  );
}

/** Name of whoever created an invitation. */
function nameOf(createdBy: string | null, members: readonly Member[]): string {
  if (createdBy === null) return peopleMessages.byKey;
  return members.find(({ userId }) => userId === createdBy)?.name ?? peopleMessages.byFormer;
}
