import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { setupQuery } from '../api/account.ts';
import { useTitle } from '../parts/use-title.ts';
import { words } from '../words/en.ts';
import { Gate } from './gate.tsx';
import { SignInForm } from './sign-in-form.tsx';

/** `/login?to=`: signs in and goes on to where somebody wanted to be. */
export function LoginPage() {
  useTitle(words.signIn.title);
  const { to = '/' } = useSearch({ strict: false }) as { to?: string };
  const navigate = useNavigate();
  const setup = useQuery(setupQuery);
  if (setup.data?.needed)
    return (
      <Gate title={words.setup.needed} lead={words.setup.neededText}>
        <Link className="button is-wide" to="/setup">
          {words.setup.byToken}
        </Link>
      </Gate>
    );
  return (
    <Gate
      title={words.signIn.title}
      lead={words.signIn.lead}
      foot={
        <>
          {words.signIn.forgotten} <code>npm run admin</code>.
        </>
      }
    >
      <SignInForm onDone={() => navigate({ href: to, replace: true })} />
    </Gate>
  );
}
