import { useQuery } from '@tanstack/react-query';
import { useId, useState } from 'react';
import { useIsInstallationAdmin } from '../api/access.ts';
import { createKey, PERMISSIONS, type Permission } from '../api/keys.ts';
import { LIBRARY, spacesQuery } from '../api/spaces.ts';
import { ShownOnce } from '../components/dialog.tsx';
import { TextField } from '../components/field.tsx';
import { FormDialog } from '../components/form-dialog.tsx';
import { messages } from '../messages/en.ts';
import { readLimits } from './key-limits.ts';
import { LimitFields } from './limits.tsx';

const DAY = 86_400;
const TERMS = [30, 90, 365, 3650] as const;
const USUAL_TERM = 90;

/** Creates a key and shows it once. */
export function CreateKey({ onCreated, onClose }: { onCreated(): void; onClose(): void }) {
  const [made, setMade] = useState<string>();
  if (made !== undefined) {
    const { made: title, madeText } = messages.keys;
    return <ShownOnce title={title} text={madeText} value={made} what={messages.copies.key} onClose={onClose} />;
  }
  const create = async (data: FormData) => {
    const permissions = data.getAll('permission') as Permission[];
    if (permissions.length === 0) throw new Error(messages.keys.noPermission);
    const { apiKey } = await createKey({
      name: String(data.get('name')),
      permissions,
      expiresIn: Number(data.get('term')) * DAY,
      ...spaceIn(data),
      ...readLimits(data),
    });
    onCreated();
    return apiKey.key;
  };
  return (
    <FormDialog
      title={messages.keys.create}
      action={messages.keys.create}
      onSubmit={create}
      onDone={setMade}
      onClose={onClose}
    >
      <TextField
        name="name"
        label={messages.keys.name}
        hint={messages.keys.nameHint}
        maxLength={100}
        isRequired
        autoFocus
      />
      <SpaceField />
      <Options />
      <LimitFields />
    </FormDialog>
  );
}

/** Space of a key that is created in the library. Keys of a space belong to it anyway. */
function SpaceField() {
  const id = useId();
  const isEnabled = useIsInstallationAdmin();
  const { data = [] } = useQuery({ ...spacesQuery, enabled: isEnabled });
  if (!isEnabled || data.length < 2) return null;
  return (
    <div className="field">
      <label htmlFor={id}>{messages.keys.spaceField}</label>
      <select id={id} className="input" name="space" aria-describedby={`${id}-hint`}>
        {data.map((space) => (
          <option key={space.id} value={space.id === LIBRARY ? '' : space.id}>
            {space.id === LIBRARY ? messages.keys.everywhere : space.name}
          </option>
        ))}
      </select>
      <span id={`${id}-hint`} className="field-hint">
        {messages.keys.spaceHint}
      </span>
    </div>
  );
}

function spaceIn(data: FormData): { space?: string } {
  const space = data.get('space');
  return typeof space === 'string' && space !== '' ? { space } : {};
}

function Options() {
  return (
    <>
      <fieldset className="options">
        <legend>{messages.keys.permissions}</legend>
        {PERMISSIONS.map((permission) => (
          <label key={permission} className="option">
            <input type="checkbox" name="permission" value={permission} defaultChecked={permission === 'read'} />
            <span>
              {messages.keys.permission[permission]}
              <small>{messages.keys.permissionText[permission]}</small>
            </span>
          </label>
        ))}
      </fieldset>
      <fieldset className="options is-row">
        <legend>{messages.keys.term}</legend>
        {TERMS.map((days) => (
          <label key={days} className="option">
            <input type="radio" name="term" value={days} defaultChecked={days === USUAL_TERM} />
            <span>{messages.keys.days(days)}</span>
          </label>
        ))}
      </fieldset>
    </>
  );
}
