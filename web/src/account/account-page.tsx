import { useQuery } from '@tanstack/react-query';
import { sessionQuery } from '../api/account.ts';
import { useTitle } from '../components/use-title.ts';
import { messages } from '../messages/en.ts';
import { NameForm } from './name-form.tsx';
import { PasswordForm } from './password-form.tsx';
import { Sessions } from './sessions.tsx';
import './account.css';

/** `/account`: profile, password and sessions. */
export function AccountPage() {
  useTitle(messages.account.title);
  const { data } = useQuery(sessionQuery);
  return (
    <div className="page">
      <header className="page-head">
        <div>
          <h1>{messages.account.title}</h1>
          <p>{messages.account.lead}</p>
        </div>
      </header>
      <Section title={messages.account.profile} text={messages.account.profileText}>
        {data && (
          <NameForm key={`${data.user.name} ${data.user.email}`} name={data.user.name} email={data.user.email} />
        )}
      </Section>
      <Section title={messages.account.password} text={messages.account.passwordText}>
        <PasswordForm email={data?.user.email ?? ''} />
      </Section>
      <Section title={messages.account.sessions} text={messages.account.sessionsText}>
        <Sessions />
      </Section>
    </div>
  );
}

function Section({ title, text, children }: { title: string; text: string; children: React.ReactNode }) {
  return (
    <section className="account-section" aria-label={title}>
      <div>
        <h2>{title}</h2>
        <p className="quiet">{text}</p>
      </div>
      {children}
    </section>
  );
}
