import { useState } from 'react';
import { TextField } from './field.tsx';
import { FormDialog } from './form-dialog.tsx';

interface NameDialogProps {
  title: string;
  label: string;
  action: string;
  /** Current name. */
  name?: string;
  hint?: string;
  /** Reason to refuse a name, shown while it is typed. */
  problemOf?(name: string): string | undefined;
  onName(name: string): Promise<unknown>;
  onClose(): void;
}

/** Dialog for the name of a new or existing item. */
export function NameDialog(props: NameDialogProps) {
  const { title, label, action, name = '', hint, problemOf, onName, onClose } = props;
  const [text, setText] = useState(name);
  return (
    <FormDialog
      title={title}
      action={action}
      problem={problemOf?.(text)}
      onSubmit={() => onName(text.trim())}
      onClose={onClose}
    >
      <TextField
        name="name"
        label={label}
        hint={hint}
        value={text}
        onChange={setText}
        autoComplete="off"
        isRequired
        autoFocus
      />
    </FormDialog>
  );
}
