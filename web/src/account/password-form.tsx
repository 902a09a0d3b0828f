import { useQueryClient } from '@tanstack/react-query';
import { Form } from 'react-aria-components/Form';
import { changePassword, sessionsQuery } from '../api/own-account.ts';
import { Button } from '../components/button.tsx';
import { NewPasswordField, PasswordField } from '../components/field.tsx';
import { ErrorNotice } from '../components/states.tsx';
import { useForm } from '../components/use-form.ts';
import { messages } from '../messages/en.ts';

/** @param email for the password manager of the browser */
export function PasswordForm({ email }: { email: string }) {
  const client = useQueryClient();
  const { error, isBusy, onSubmit } = useForm(async (data) => {
    const text = (field: string) => String(data.get(field) ?? '');
    await changePassword({
      currentPassword: text('currentPassword'),
      newPassword: text('newPassword'),
      revokeOthers: data.get('revokeOthers') !== null,
    });
    await client.invalidateQueries({ queryKey: sessionsQuery.queryKey });
  }, messages.account.passwordChanged);
  return (
    <Form className="form" onSubmit={onSubmit}>
      {error !== undefined && <ErrorNotice error={error} />}
      <input type="hidden" name="username" autoComplete="username" value={email} />
      <PasswordField
        name="currentPassword"
        label={messages.account.current}
        autoComplete="current-password"
        isRequired
      />
      <NewPasswordField name="newPassword" label={messages.account.next} />
      <label className="check">
        <input type="checkbox" name="revokeOthers" defaultChecked />
        {messages.account.endOthersToo}
      </label>
      <Button type="submit" isPending={isBusy}>
        {messages.account.changePassword}
      </Button>
    </Form>
  );
}
