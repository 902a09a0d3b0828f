import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { setupQuery } from '../api/account.ts';
import { useTitle } from '../components/use-title.ts';
import { messages } from '../messages/en.ts';
import { Gate } from './gate.tsx';
import { SignInForm } from './sign-in-form.tsx';

/** `/login?to=`: signs in and continues to the requested page. */
export function LoginPage() {
  useTitle(messages.signIn.title);
  const { to = '/' } = useSearch({ strict: false }) as { to?: string };
  const navigate = useNavigate();
  const setup = useQuery(setupQuery);
  if (setup.data?.needed)
    return (
      <Gate title={messages.setup.needed} lead={messages.setup.neededText}>
        <Link className="button is-wide" to="/setup">
          {messages.setup.byToken}
        </Link>
      </Gate>
    );
  return (
    <Gate
      title={messages.signIn.title}
      lead={messages.signIn.lead}
      foot={
        <>
          {messages.signIn.forgotten} <code>npm run admin</code>.
        </>
      }
    >
      <SignInForm onDone={() => navigate({ href: to, replace: true })} />
    </Gate>
  );
}
