import { type FormEvent, useState } from 'react';
import { Form } from 'react-aria-components/Form';
import { createKey, PERMISSIONS, type Permission } from '../api/keys.ts';
import { Button } from '../components/button.tsx';
import { ModalDialog, ShownOnce } from '../components/dialog.tsx';
import { TextField } from '../components/field.tsx';
import { ErrorNotice } from '../components/states.tsx';
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
    const { made: title, madeText, copy } = messages.keys;
    return <ShownOnce title={title} text={madeText} value={made} copy={copy} onClose={onClose} />;
  }
  return (
    <ModalDialog title={messages.keys.create} isOpen onClose={onClose}>
      <KeyForm
        onClose={onClose}
        onMade={(value) => {
          setMade(value);
          onCreated();
        }}
      />
    </ModalDialog>
  );
}

function KeyForm({ onMade, onClose }: { onMade(value: string): void; onClose(): void }) {
  const [error, setError] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const data = new FormData(event.currentTarget);
    const permissions = data.getAll('permission') as Permission[];
    if (permissions.length === 0) return setError(new Error(messages.keys.noPermission));
    setBusy(true);
    createKey({
      name: String(data.get('name')),
      permissions,
      expiresIn: Number(data.get('term')) * DAY,
      ...readLimits(data),
    })
      .then(({ apiKey }) => onMade(apiKey.key), setError)
      .finally(() => setBusy(false));
  };
  return (
    <Form className="form" onSubmit={submit}>
      {error !== undefined && <ErrorNotice error={error} />}
      <TextField
        name="name"
        label={messages.keys.name}
        hint={messages.keys.nameHint}
        maxLength={100}
        isRequired
        autoFocus
      />
      <Options />
      <LimitFields />
      <div className="dialog-actions">
        <Button onPress={onClose}>{messages.cancel}</Button>
        <Button type="submit" variant="main" isPending={isBusy}>
          {messages.keys.create}
        </Button>
      </div>
    </Form>
  );
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
