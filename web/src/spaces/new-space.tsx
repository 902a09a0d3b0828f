import { useState } from 'react';
import { createSpace, LIBRARY } from '../api/spaces.ts';
import { ShownOnce } from '../components/dialog.tsx';
import { TextField } from '../components/field.tsx';
import { FieldError } from '../components/field-errors.ts';
import { FormDialog } from '../components/form-dialog.tsx';
import { textOf } from '../components/form-text.ts';
import { messages } from '../messages/en.ts';
import { spacesMessages } from '../messages/spaces.ts';

const FIELDS = ['id', 'name', 'folder'];
/** A taken id has a code of its own; every other conflict is about the folder. */
const CODES = {
  name_taken: 'id',
  space_id_used: 'id',
  space_conflict: 'folder',
  invalid_path: 'folder',
  file_exists: 'folder',
};
const ID = /^[a-z0-9][a-z0-9-]{1,39}$/;

interface Made {
  name: string;
  secret: string;
}

/** Makes a space, and shows its secret once. */
export function NewSpaceDialog({ onCreated, onClose }: { onCreated(): void; onClose(): void }) {
  const [made, setMade] = useState<Made>();
  if (made)
    return (
      <ShownOnce
        title={spacesMessages.made(made.name)}
        text={spacesMessages.madeText}
        value={made.secret}
        what={messages.copies.secret}
        onClose={onClose}
      />
    );
  const { form } = spacesMessages;
  const create = async (data: FormData): Promise<Made> => {
    // Phones begin a field with a capital letter.
    const id = textOf(data, 'id').toLowerCase();
    if (!ID.test(id) || id === LIBRARY) throw new FieldError('id', form.idWrong);
    const name = textOf(data, 'name');
    const folder = textOf(data, 'folder');
    const { space, secret } = await createSpace({ id, ...(name !== '' && { name }), ...(folder !== '' && { folder }) });
    onCreated();
    return { name: space.name, secret };
  };
  return (
    <FormDialog
      title={spacesMessages.create}
      action={spacesMessages.create}
      names={FIELDS}
      codes={CODES}
      onSubmit={create}
      onDone={setMade}
      onClose={onClose}
    >
      <TextField
        name="id"
        label={form.id}
        hint={form.idHint}
        autoComplete="off"
        spellCheck="false"
        isRequired
        autoFocus
      />
      <TextField name="name" label={form.name} hint={form.nameHint} autoComplete="off" maxLength={100} />
      <TextField name="folder" label={form.folder} hint={form.folderHint} autoComplete="off" maxLength={1024} />
    </FormDialog>
  );
}
