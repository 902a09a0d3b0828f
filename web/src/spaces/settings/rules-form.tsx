import type { ReactNode } from 'react';
import { Form } from 'react-aria-components/Form';
import { type Space, type SpacePatch, saveSpace } from '../../api/spaces.ts';
import { Button } from '../../components/button.tsx';
import { ErrorNotice } from '../../components/states.tsx';
import { toast } from '../../components/toasts.tsx';
import { useFieldForm } from '../../components/use-field-form.ts';
import { spaceSettingsMessages } from '../../messages/spaces.ts';

interface RulesFormProps {
  space: Space;
  /** Names of the fields, as in the API. */
  names: readonly string[];
  /** Reads the form. @throws FieldError */
  read(data: FormData): SpacePatch;
  children: ReactNode;
}

/** Form of some rules, with its own button. */
export function RulesForm({ space, names, read, children }: RulesFormProps) {
  const send = async (data: FormData) => {
    await saveSpace(space.id, read(data));
    toast(spaceSettingsMessages.saved);
  };
  const { formProps, error, isBusy } = useFieldForm(send, names, CODES);
  return (
    <Form className="form" {...formProps}>
      {error !== undefined && <ErrorNotice error={error} />}
      {children}
      <Button type="submit" isPending={isBusy}>
        {spaceSettingsMessages.save}
      </Button>
    </Form>
  );
}

/** The folder of a space stays, so that a conflict is one of its hosts. */
const CODES = { space_conflict: 'hosts' };
