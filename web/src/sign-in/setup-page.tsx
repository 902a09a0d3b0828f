import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { Form } from 'react-aria-components/Form';
import { createAccount, enterNewAccount, setupQuery } from '../api/account.ts';
import { ApiError } from '../api/error.ts';
import { Button } from '../components/button.tsx';
import { NewPasswordField, TextField } from '../components/field.tsx';
import { textOf } from '../components/form-text.ts';
import { ErrorNotice } from '../components/states.tsx';
import { useForm } from '../components/use-form.ts';
import { useTitle } from '../components/use-title.ts';
import { messages } from '../messages/en.ts';
import { Gate } from './gate.tsx';

/** `/setup#token=`: creates the account and signs in. A fragment is not logged anywhere. */
export function SetupPage() {
  useTitle(messages.setup.title);
  const navigate = useNavigate();
  const setup = useQuery(setupQuery);
  const [token] = useState(() => new URLSearchParams(location.hash.slice(1)).get('token') ?? '');
  if (setup.data?.needed === false)
    return (
      <Gate title={messages.setup.title} lead={messages.setup.closed}>
        <Link className="button is-main is-wide" to="/login">
          {messages.signIn.action}
        </Link>
      </Gate>
    );
  return (
    <Gate title={messages.setup.title} lead={messages.setup.lead}>
      <SetupForm token={token} onDone={() => navigate({ to: '/', replace: true })} />
    </Gate>
  );
}

function SetupForm({ token, onDone }: { token: string; onDone: () => void }) {
  const { error, isBusy, onSubmit } = useForm(async (data) => {
    const account = {
      name: textOf(data, 'name'),
      email: textOf(data, 'email'),
      password: String(data.get('password')),
    };
    await createAccount({ ...account, token: token || textOf(data, 'token') });
    await enterNewAccount(account.email, account.password);
    onDone();
  });
  return (
    <Form className="gate-form" onSubmit={onSubmit}>
      {error !== undefined && <ErrorNotice error={explained(error)} />}
      {token === '' && (
        <TextField
          name="token"
          label={messages.setup.token}
          hint={messages.setup.tokenHint}
          autoComplete="off"
          isRequired
          autoFocus
        />
      )}
      <TextField
        name="name"
        label={messages.setup.account}
        autoComplete="name"
        maxLength={100}
        isRequired
        autoFocus={token !== ''}
      />
      <TextField name="email" type="email" label={messages.signIn.email} autoComplete="username" isRequired />
      <NewPasswordField name="password" label={messages.signIn.password} />
      <Button type="submit" variant="main" wide isPending={isBusy}>
        {messages.setup.action}
      </Button>
    </Form>
  );
}

function explained(problem: unknown): unknown {
  const isWrongToken = problem instanceof ApiError && problem.status === 401;
  return isWrongToken ? new Error(messages.setup.wrongToken) : problem;
}
