import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Form } from 'react-aria-components/Form';
import { sessionQuery } from '../api/account.ts';
import { updateAccount } from '../api/own-account.ts';
import { Button } from '../components/button.tsx';
import { PasswordField, TextField } from '../components/field.tsx';
import { ErrorNotice } from '../components/states.tsx';
import { useForm } from '../components/use-form.ts';
import { messages } from '../messages/en.ts';

/** Name and email. A changed email requires the password. */
export function NameForm({ name, email }: { name: string; email: string }) {
  const client = useQueryClient();
  const [address, setAddress] = useState(email);
  const isOther = address !== email;
  const { error, isBusy, onSubmit } = useForm(async (data) => {
    const text = (field: string) => String(data.get(field) ?? '');
    const change = isOther ? { email: address, currentPassword: text('currentPassword') } : {};
    await updateAccount({ name: text('name').trim(), ...change });
    await client.invalidateQueries({ queryKey: sessionQuery.queryKey });
  }, messages.account.saved);
  return (
    <Form className="form" onSubmit={onSubmit}>
      {error !== undefined && <ErrorNotice error={error} />}
      <TextField
        name="name"
        label={messages.setup.account}
        defaultValue={name}
        autoComplete="name"
        maxLength={100}
        isRequired
      />
      <TextField
        type="email"
        label={messages.signIn.email}
        value={address}
        onChange={setAddress}
        autoComplete="username"
        isRequired
      />
      {isOther && (
        <PasswordField
          name="currentPassword"
          label={messages.account.current}
          hint={messages.account.currentHint}
          autoComplete="current-password"
          isRequired
        />
      )}
      <Button type="submit" isPending={isBusy}>
        {messages.account.save}
      </Button>
    </Form>
  );
}
