import { useState } from 'react';
import { createInvitation, type Role } from '../api/people.ts';
import { ShownOnce } from '../components/dialog.tsx';
import { TextField } from '../components/field.tsx';
import { FormDialog } from '../components/form-dialog.tsx';
import { textOf } from '../components/form-text.ts';
import { messages } from '../messages/en.ts';
import { peopleMessages } from '../messages/people.ts';
import { explained } from './explain.ts';
import { RoleChoice } from './role-choice.tsx';

const DAY = 86_400;
const TERMS = [1, 3, 7, 30] as const;
const USUAL_TERM = 7;

interface InviteDialogProps {
  ownRole: Role;
  onCreated(): void;
  onClose(): void;
}

/** Creates an invitation and shows its link once. */
export function InviteDialog({ ownRole, onCreated, onClose }: InviteDialogProps) {
  const [created, setCreated] = useState<{ url: string; days: number }>();
  if (created !== undefined) {
    const { linkTitle, linkText, days } = peopleMessages;
    const text = linkText(days(created.days));
    return (
      <ShownOnce title={linkTitle} text={text} value={created.url} what={messages.copies.link} onClose={onClose} />
    );
  }
  const create = async (data: FormData) => {
    const role = data.get('role') as Role;
    const days = Number(data.get('term'));
    const email = textOf(data, 'email');
    const invitation = { role, expiresIn: days * DAY, ...(email !== '' && { email }) };
    const { url } = await explained(createInvitation(invitation), ownRole);
    onCreated();
    return { url, days };
  };
  return (
    <FormDialog
      title={peopleMessages.inviteTitle}
      action={peopleMessages.createLink}
      onSubmit={create}
      onDone={setCreated}
      onClose={onClose}
    >
      <RoleChoice ownRole={ownRole} chosen="viewer" />
      <TextField
        name="email"
        type="email"
        label={peopleMessages.email}
        hint={peopleMessages.emailHint}
        maxLength={254}
        autoComplete="off"
      />
      <fieldset className="options is-row">
        <legend>{peopleMessages.term}</legend>
        {TERMS.map((days) => (
          <label key={days} className="option">
            <input type="radio" name="term" value={days} defaultChecked={days === USUAL_TERM} />
            <span>{peopleMessages.days(days)}</span>
          </label>
        ))}
      </fieldset>
    </FormDialog>
  );
}
