import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { Form } from 'react-aria-components/Form';
import { createAccount, setupQuery, signIn } from '../api/account.ts';
import { ApiError } from '../api/error.ts';
import { Button } from '../parts/button.tsx';
import { PasswordField, TextField } from '../parts/field.tsx';
import { ErrorNotice } from '../parts/states.tsx';
import { useTitle } from '../parts/use-title.ts';
import { words } from '../words/en.ts';
import { Gate } from './gate.tsx';

const MIN_PASSWORD = 8;

/** `/setup#token=`: the first visit names the account and is signed in. A fragment reaches no log on the way. */
export function SetupPage() {
  useTitle(words.setup.title);
  const navigate = useNavigate();
  const setup = useQuery(setupQuery);
  const [token] = useState(() => new URLSearchParams(location.hash.slice(1)).get('token') ?? '');
  if (setup.data?.needed === false)
    return (
      <Gate title={words.setup.title} lead={words.setup.closed}>
        <Link className="button is-main is-wide" to="/login">
          {words.signIn.act}
        </Link>
      </Gate>
    );
  return (
    <Gate title={words.setup.title} lead={words.setup.lead}>
      <SetupForm token={token} onDone={() => navigate({ to: '/', replace: true })} />
    </Gate>
  );
}

function SetupForm({ token, onDone }: { token: string; onDone: () => void }) {
  const [error, setError] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const data = new FormData(event.currentTarget);
    const text = (name: string) => String(data.get(name) ?? '').trim();
    const account = { name: text('name'), email: text('email'), password: String(data.get('password')) };
    setBusy(true);
    setError(undefined);
    createAccount({ ...account, token: token || text('token') })
      .then(() => signIn(account.email, account.password))
      .then(onDone, (problem) => setError(explained(problem)))
      .finally(() => setBusy(false));
  };
  return (
    <Form className="gate-form" onSubmit={submit}>
      {error !== undefined && <ErrorNotice error={error} />}
      {token === '' && (
        <TextField name="token" label={words.setup.token} hint={words.setup.tokenHint} autoComplete="off" isRequired />
      )}
      <TextField name="name" label={words.setup.account} autoComplete="name" maxLength={100} isRequired autoFocus />
      <TextField name="email" type="email" label={words.signIn.email} autoComplete="username" isRequired />
      <PasswordField
        name="password"
        label={words.signIn.password}
        hint={words.setup.passwordHint}
        autoComplete="new-password"
        minLength={MIN_PASSWORD}
        isRequired
      />
      <Button type="submit" look="main" wide isPending={isBusy}>
        {words.setup.act}
      </Button>
    </Form>
  );
}

function explained(problem: unknown): unknown {
  const isWrongToken = problem instanceof ApiError && problem.status === 401;
  return isWrongToken ? new Error(words.setup.wrongToken) : problem;
}
