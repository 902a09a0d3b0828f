import { type FormEvent, useState } from 'react';
import { Form } from 'react-aria-components/Form';
import { words } from '../words/en.ts';
import { Button } from './button.tsx';
import { ModalDialog } from './dialog.tsx';
import { TextField } from './field.tsx';
import { ErrorNotice } from './states.tsx';

interface NameDialogProps {
  title: string;
  label: string;
  act: string;
  /** The name as it is. */
  name?: string;
  hint?: string;
  onName(name: string): Promise<unknown>;
  onClose(): void;
}

/** Asks for a name: of a new folder, or another one for a file. */
export function NameDialog({ title, label, act, name = '', hint, onName, onClose }: NameDialogProps) {
  const [error, setError] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    setBusy(true);
    onName(String(new FormData(event.currentTarget).get('name')).trim()).then(onClose, (problem) => {
      setError(problem);
      setBusy(false);
    });
  };
  return (
    <ModalDialog title={title} isOpen onClose={onClose}>
      <Form className="form" onSubmit={submit}>
        {error !== undefined && <ErrorNotice error={error} />}
        <TextField name="name" label={label} hint={hint} defaultValue={name} autoComplete="off" isRequired autoFocus />
        <div className="dialog-actions">
          <Button onPress={onClose}>{words.cancel}</Button>
          <Button type="submit" look="main" isPending={isBusy}>
            {act}
          </Button>
        </div>
      </Form>
    </ModalDialog>
  );
}
