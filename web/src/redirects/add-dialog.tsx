import { createRedirect } from '../api/redirects.ts';
import { TextField } from '../components/field.tsx';
import { FormDialog } from '../components/form-dialog.tsx';
import { textOf } from '../components/form-text.ts';
import { toast } from '../components/toasts.tsx';
import { redirectsMessages } from '../messages/redirects.ts';

/** Redirects a path to a file or folder. */
export function AddDialog({ onClose }: { onClose(): void }) {
  const add = async (data: FormData) => {
    const { from } = await createRedirect(textOf(data, 'from'), textOf(data, 'to'));
    toast(redirectsMessages.added(from));
  };
  return (
    <FormDialog title={redirectsMessages.add} action={redirectsMessages.add} onSubmit={add} onClose={onClose}>
      <TextField
        name="from"
        label={redirectsMessages.from}
        hint={redirectsMessages.fromHint}
        autoComplete="off"
        isRequired
        autoFocus
      />
      <TextField name="to" label={redirectsMessages.to} hint={redirectsMessages.toHint} autoComplete="off" isRequired />
    </FormDialog>
  );
}
