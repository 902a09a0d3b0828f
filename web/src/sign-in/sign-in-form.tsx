import { type FormEvent, useEffect, useState } from 'react';
import { Form } from 'react-aria-components/Form';
import { signIn } from '../api/account.ts';
import { ApiError } from '../api/error.ts';
import { Button } from '../components/button.tsx';
import { PasswordField, TextField } from '../components/field.tsx';
import { ErrorNotice } from '../components/states.tsx';
import { useAction } from '../components/use-action.ts';
import { messages } from '../messages/en.ts';

interface SignInFormProps {
  email?: string;
  onDone(): void;
  /** Called instead when the account has a second factor. */
  onCode(): void;
}

/** Form for address and password; counts down after too many attempts. */
export function SignInForm({ email, onDone, onCode }: SignInFormProps) {
  const [seconds, setSeconds] = useCountdown();
  const { error, isBusy, run } = useAction((problem) => {
    if (problem instanceof ApiError && problem.status === 429) setSeconds(problem.retryAfter ?? 1);
  });
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const data = new FormData(event.currentTarget);
    void run(async () => {
      const next = await signIn(String(data.get('email')), String(data.get('password')));
      if (next === 'code') onCode();
      else onDone();
    });
  };
  const isWaiting = seconds > 0;
  return (
    <Form className="gate-form" onSubmit={submit}>
      {error !== undefined && <ErrorNotice error={isWaiting ? new Error(messages.signIn.tooOften) : error} />}
      <TextField
        name="email"
        type="email"
        label={messages.signIn.email}
        autoComplete="username"
        defaultValue={email}
        isRequired
        autoFocus={email === undefined}
      />
      <PasswordField
        name="password"
        label={messages.signIn.password}
        autoComplete="current-password"
        isRequired
        autoFocus={email !== undefined}
      />
      <Button type="submit" variant="main" wide isPending={isBusy} isDisabled={isWaiting}>
        {isWaiting ? messages.signIn.wait(seconds) : messages.signIn.action}
      </Button>
    </Form>
  );
}

/** Countdown in seconds. */
function useCountdown(): [number, (seconds: number) => void] {
  const [seconds, setSeconds] = useState(0);
  useEffect(() => {
    if (seconds <= 0) return;
    const timer = setTimeout(() => setSeconds(seconds - 1), 1000);
    return () => clearTimeout(timer);
  }, [seconds]);
  return [seconds, setSeconds];
}
