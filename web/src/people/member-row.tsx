import { useState } from 'react';
import { dashboardOf } from '../api/base.ts';
import { type Member, type Role, removeMember, rolesUpTo, updateMember } from '../api/people.ts';
import { Button } from '../components/button.tsx';
import { Confirm } from '../components/dialog.tsx';
import { FormDialog } from '../components/form-dialog.tsx';
import { formatAgo, formatDay } from '../components/format.ts';
import { Menu, MenuItem, MenuLine } from '../components/menu.tsx';
import { toast } from '../components/toasts.tsx';
import { peopleMessages } from '../messages/people.ts';
import { roleMessages } from '../messages/roles.ts';
import { explained } from './explain.ts';
import { RoleChoice } from './role-choice.tsx';

interface MemberRowProps {
  member: Member;
  /** True for the signed-in person. */
  isOwn: boolean;
  ownRole: Role;
  onChanged(): void;
}

export function MemberRow({ member, isOwn, ownRole, onChanged }: MemberRowProps) {
  const { name, email, role, source, twoFactor, createdAt } = member;
  return (
    <li className="member-row">
      <span className="side-face" aria-hidden="true">
        {name.slice(0, 1).toUpperCase()}
      </span>
      <div className="member-name">
        <h3 className="row-head">
          {name}
          {isOwn && <span className="badge">{peopleMessages.you}</span>}
        </h3>
        <p className="quiet">{email}</p>
      </div>
      <div className="member-role">
        <span>{roleMessages.name[role]}</span>
        <span className="quiet">{peopleMessages.source[source]}</span>
      </div>
      <div className="member-state">
        <span className={twoFactor ? 'badge is-good' : 'badge'}>
          {twoFactor ? peopleMessages.twoFactor : peopleMessages.noTwoFactor}
        </span>
        <time className="quiet" dateTime={createdAt} title={formatDay(createdAt)}>
          {peopleMessages.since(formatAgo(createdAt))}
        </time>
      </div>
      {rolesUpTo(ownRole).includes(role) && (
        <MemberMenu member={member} isOwn={isOwn} ownRole={ownRole} onChanged={onChanged} />
      )}
    </li>
  );
}

function MemberMenu({ member, isOwn, ownRole, onChanged }: MemberRowProps) {
  const [dialog, setDialog] = useState<'role' | 'remove'>();
  const close = () => setDialog(undefined);
  const { name } = member;
  return (
    <>
      <Menu
        label={peopleMessages.actions(name)}
        trigger={<Button variant="plain" icon="more" aria-label={peopleMessages.actions(name)} />}
      >
        <MenuItem icon="pencil" onAction={() => setDialog('role')}>
          {peopleMessages.change}
        </MenuItem>
        <MenuLine />
        <MenuItem icon="trash" isDangerous onAction={() => setDialog('remove')}>
          {peopleMessages.remove}
        </MenuItem>
      </Menu>
      {dialog === 'role' && <RoleDialog member={member} ownRole={ownRole} onChanged={onChanged} onClose={close} />}
      {dialog === 'remove' && (
        <RemoveDialog member={member} isOwn={isOwn} ownRole={ownRole} onChanged={onChanged} onClose={close} />
      )}
    </>
  );
}

type DialogProps = Omit<MemberRowProps, 'isOwn'> & { onClose(): void };

function RoleDialog({ member, ownRole, onChanged, onClose }: DialogProps) {
  const { userId, name, role, source } = member;
  const save = async (data: FormData) => {
    const chosen = data.get('role') as Role;
    if (chosen === role) return;
    await explained(updateMember(userId, chosen), ownRole);
    toast(peopleMessages.changed(name, roleMessages.name[chosen]));
    onChanged();
  };
  return (
    <FormDialog title={peopleMessages.changeTitle(name)} action={peopleMessages.save} onSubmit={save} onClose={onClose}>
      <RoleChoice ownRole={ownRole} chosen={role} />
      {source === 'oidc' && <p className="quiet">{peopleMessages.fromProvider}</p>}
    </FormDialog>
  );
}

function RemoveDialog({ member, isOwn, ownRole, onChanged, onClose }: DialogProps & { isOwn: boolean }) {
  const { userId, name, source } = member;
  const remove = async () => {
    await explained(removeMember(userId), ownRole);
    // Nothing of this page may be read any more.
    if (isOwn) return location.assign(dashboardOf(undefined));
    toast(peopleMessages.removed(name));
    onChanged();
  };
  const text = isOwn ? peopleMessages.leaveText : peopleMessages.removeText;
  return (
    <Confirm
      title={isOwn ? peopleMessages.leaveTitle : peopleMessages.removeTitle(name)}
      text={source === 'oidc' ? `${text} ${peopleMessages.removeOidcText}` : text}
      action={peopleMessages.remove}
      onConfirm={remove}
      onClose={onClose}
    />
  );
}
