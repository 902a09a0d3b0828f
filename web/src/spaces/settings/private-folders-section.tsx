import { useRef, useState } from 'react';
import { Form } from 'react-aria-components/Form';
import { type Space, setPrivate } from '../../api/spaces.ts';
import { Button } from '../../components/button.tsx';
import { TextField } from '../../components/field.tsx';
import { textOf } from '../../components/form-text.ts';
import { Icon } from '../../components/icon.tsx';
import { Section } from '../../components/section.tsx';
import { ErrorNotice, errorMessage } from '../../components/states.tsx';
import { toast } from '../../components/toasts.tsx';
import { useFieldForm } from '../../components/use-field-form.ts';
import { spaceSettingsMessages } from '../../messages/spaces.ts';

/** Folders from which visitors get nothing. */
export function PrivateFoldersSection({ space: { id, privateFolders: folders } }: { space: Space }) {
  const texts = spaceSettingsMessages.privateFolders;
  const list = useRef<HTMLDivElement>(null);
  const add = async (data: FormData) => {
    const path = textOf(data, 'path').replace(/^\/+|\/+$/g, '');
    await setPrivate(id, path, true);
    toast(texts.added(path));
  };
  const remove = (path: string) =>
    setPrivate(id, path, false).then(
      () => {
        toast(texts.removed(path));
        // Its button is gone.
        list.current?.focus();
      },
      (error) => toast(errorMessage(error)),
    );
  return (
    <Section title={texts.title} text={texts.text}>
      <div ref={list} className="space-private" tabIndex={-1}>
        {folders.length === 0 && <p className="quiet">{texts.empty}</p>}
        {folders.length > 0 && (
          <ul className="card rows">
            {folders.map((path) => (
              <li key={path} className="space-private-row">
                <Icon name="lock" size={16} />
                <code>{path}</code>
                <Button variant="plain" onPress={() => remove(path)}>
                  {texts.remove}
                  <span className="unseen">{`: ${path}`}</span>
                </Button>
              </li>
            ))}
          </ul>
        )}
        <AddForm onAdd={add} />
      </div>
    </Section>
  );
}

function AddForm({ onAdd }: { onAdd(data: FormData): Promise<void> }) {
  const texts = spaceSettingsMessages.privateFolders;
  const [path, setPath] = useState('');
  const send = async (data: FormData) => {
    await onAdd(data);
    setPath('');
  };
  const { formProps, error, isBusy } = useFieldForm(send, ['path'], { invalid_path: 'path' });
  return (
    <Form className="form" {...formProps}>
      {error !== undefined && <ErrorNotice error={error} />}
      <TextField
        name="path"
        label={texts.path}
        hint={texts.pathHint}
        value={path}
        onChange={setPath}
        autoComplete="off"
        maxLength={1024}
        isRequired
      />
      <Button type="submit" icon="lock" isPending={isBusy}>
        {texts.add}
      </Button>
    </Form>
  );
}
