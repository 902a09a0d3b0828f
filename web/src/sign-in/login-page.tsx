import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { setupQuery } from '../api/account.ts';
import { signInMethodsQuery } from '../api/sign-in-methods.ts';
import { Button } from '../components/button.tsx';
import { ErrorNotice } from '../components/states.tsx';
import { useTitle } from '../components/use-title.ts';
import { messages } from '../messages/en.ts';
import { oidcFailure } from '../messages/oidc-failure.ts';
import { Gate } from './gate.tsx';
import { SignIn } from './sign-in.tsx';

/** `/login?to=&error=`: signs in and continues to the requested page. */
export function LoginPage() {
  useTitle(messages.signIn.title);
  const { to = '/', error } = useSearch({ strict: false }) as { to?: string; error?: string };
  const navigate = useNavigate();
  const setup = useQuery(setupQuery);
  const methods = useQuery(signInMethodsQuery);
  // People who were invited before the first visit have accounts.
  const [hasAccount, setHasAccount] = useState(false);
  if (setup.data?.needed && !hasAccount)
    return (
      <Gate title={messages.setup.needed} lead={messages.setup.neededText}>
        <Link className="button is-wide" to="/setup">
          {messages.setup.byToken}
        </Link>
        <Button wide onPress={() => setHasAccount(true)}>
          {messages.signIn.action}
        </Button>
      </Gate>
    );
  return (
    <Gate
      title={messages.signIn.title}
      lead={messages.signIn.lead}
      foot={
        methods.data?.password && (
          <>
            {messages.signIn.forgotten} <code>npm run admin -- reset-password</code>.
          </>
        )
      }
    >
      {error !== undefined && !methods.isPending && (
        <ErrorNotice error={new Error(oidcFailure(error, methods.data?.oidc?.name, methods.data?.atSpaceHost))} />
      )}
      <SignIn to={to} onDone={() => navigate({ href: to, replace: true })} />
    </Gate>
  );
}
