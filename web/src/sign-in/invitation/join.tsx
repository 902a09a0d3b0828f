import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Form } from 'react-aria-components/Form';
import { ApiError } from '../../api/error.ts';
import { acceptInvitation, type Terms } from '../../api/invitation.ts';
import { type SignInMethods, signInMethodsQuery } from '../../api/sign-in-methods.ts';
import { Button } from '../../components/button.tsx';
import { NewPasswordField, TextField } from '../../components/field.tsx';
import { textOf } from '../../components/form-text.ts';
import { Icon } from '../../components/icon.tsx';
import { ErrorNotice, Skeleton } from '../../components/states.tsx';
import { useForm } from '../../components/use-form.ts';
import { invitationMessages } from '../../messages/invitation.ts';
import { SignIn } from '../sign-in.tsx';

export interface JoinProps {
  token: string;
  terms: Terms;
  onDone(): void;
  onFailed(problem: unknown): void;
}

/** Choices of a person without a session: a new account, or signing in to an existing one. */
export function Join(props: JoinProps) {
  const { data: methods, failureCount } = useQuery(signInMethodsQuery);
  const [notice, setNotice] = useState<string>();
  const [email, setEmail] = useState(props.terms.email ?? undefined);
  const [isSigningIn, setSigningIn] = useState(false);
  if (methods === undefined && failureCount === 0) return <Skeleton height={210} />;
  const signInInstead = (problem: ApiError, address: string) => {
    setEmail(address);
    setNotice(reasonOf(problem, methods));
    setSigningIn(true);
  };
  if (methods?.password === false || isSigningIn)
    return (
      <div className="gate-form">
        <p className={notice === undefined ? 'quiet' : 'notice'} role="status">
          {notice !== undefined && <Icon name="info" />}
          {notice ?? invitationMessages.signInFirst}
        </p>
        <SignIn email={email} to={`/invitation#token=${props.token}`} onDone={() => undefined} />
        {methods?.password !== false && (
          <Button variant="plain" onPress={() => setSigningIn(false)}>
            {invitationMessages.newAccount}
          </Button>
        )}
      </div>
    );
  return (
    <div className="gate-form">
      <JoinForm {...props} onSignIn={signInInstead} />
      <Button variant="plain" onPress={() => setSigningIn(true)}>
        {invitationMessages.haveAccount}
      </Button>
    </div>
  );
}

/** Refusals after which signing in is the way to go on. */
const SIGN_IN_CODES: readonly string[] = ['account_exists', 'password_sign_in_disabled'];

function reasonOf({ code }: ApiError, methods: SignInMethods | undefined): string {
  if (code === 'account_exists') return invitationMessages.accountExists;
  return invitationMessages.noPasswords(methods?.oidc?.name ?? invitationMessages.provider);
}

type JoinFormProps = JoinProps & { onSignIn(problem: ApiError, email: string): void };

function JoinForm({ token, terms, onDone, onFailed, onSignIn }: JoinFormProps) {
  const { error, isBusy, onSubmit } = useForm(async (data) => {
    const email = terms.email ?? textOf(data, 'email');
    try {
      await acceptInvitation(token, { name: textOf(data, 'name'), email, password: String(data.get('password')) });
    } catch (problem) {
      onFailed(problem);
      if (problem instanceof ApiError && SIGN_IN_CODES.includes(problem.code)) onSignIn(problem, email);
      throw problem;
    }
    onDone();
  });
  return (
    <Form className="gate-form" onSubmit={onSubmit}>
      {error !== undefined && <ErrorNotice error={error} />}
      <TextField name="name" label={invitationMessages.name} autoComplete="name" maxLength={100} isRequired autoFocus />
      <TextField
        name="email"
        type="email"
        label={invitationMessages.email}
        autoComplete="username"
        isRequired
        {...(terms.email !== null && {
          defaultValue: terms.email,
          isReadOnly: true,
          hint: invitationMessages.emailFixed,
        })}
      />
      <NewPasswordField name="password" label={invitationMessages.password} />
      <Button type="submit" variant="main" wide isPending={isBusy}>
        {invitationMessages.createAccount}
      </Button>
    </Form>
  );
}
