import { useState } from 'react';
import { deleteInvitation, type Invitation, type Role, rolesUpTo } from '../api/people.ts';
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
  /** Name of whoever created it. */
  sender: string;
  ownRole: Role;
  onChanged(): void;
}

export function InvitationRow({ invitation, sender, ownRole, onChanged }: InvitationRowProps) {
  const { id, email, role, expiresAt } = invitation;
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
        <h3 className="row-head">
          {who}
          <span className="badge">{roleMessages.name[role]}</span>
        </h3>
        <p className="quiet">
          {peopleMessages.invitedBy(sender)} ·{' '}
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
