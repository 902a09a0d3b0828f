import { TextField } from './field.tsx';
import { FormDialog } from './form-dialog.tsx';
import { textOf } from './form-text.ts';

interface NameDialogProps {
  title: string;
  label: string;
  action: string;
  /** Current name. */
  name?: string;
  hint?: string;
  onName(name: string): Promise<unknown>;
  onClose(): void;
}

/** Dialog for the name of a new or existing item. */
export function NameDialog({ title, label, action, name = '', hint, onName, onClose }: NameDialogProps) {
  const submit = (data: FormData) => onName(textOf(data, 'name'));
  return (
    <FormDialog title={title} action={action} onSubmit={submit} onClose={onClose}>
      <TextField name="name" label={label} hint={hint} defaultValue={name} autoComplete="off" isRequired autoFocus />
    </FormDialog>
  );
}
