import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Form } from 'react-aria-components/Form';
import { useIsAtSpaceHost } from '../api/access.ts';
import { sessionQuery } from '../api/account.ts';
import { changePassword, sessionsQuery } from '../api/own-account.ts';
import { signInMethodsQuery } from '../api/sign-in-methods.ts';
import { Button } from '../components/button.tsx';
import { NewPasswordField, PasswordField } from '../components/field.tsx';
import { PageHeader } from '../components/page-header.tsx';
import { Section } from '../components/section.tsx';
import { ErrorNotice } from '../components/states.tsx';
import { useForm } from '../components/use-form.ts';
import { messages } from '../messages/en.ts';
import { signInMessages } from '../messages/sign-in.ts';
import { twoFactorMessages } from '../messages/two-factor.ts';
import { ConnectOidc } from './connect-oidc.tsx';
import { NameForm } from './name-form.tsx';
import { Sessions } from './sessions.tsx';
import { TwoFactorState } from './two-factor/two-factor-state.tsx';
import './account.css';

/** `/account`: profile, ways to sign in, and sessions. */
export function AccountPage() {
  const { data } = useQuery(sessionQuery);
  const { data: methods } = useQuery(signInMethodsQuery);
  // A session of the host of a space connects nothing: an identity signs in everywhere.
  const provider = useIsAtSpaceHost() ? undefined : methods?.oidc?.name;
  // Nobody signs in with a password then. A second factor from before can still be turned off.
  const hasPassword = methods?.password !== false;
  return (
    <div className="page">
      <PageHeader title={messages.account.title} lead={messages.account.lead} documentation="account" />
      <Section title={messages.account.profile} text={messages.account.profileText}>
        {data && (
          <NameForm key={`${data.user.name} ${data.user.email}`} name={data.user.name} email={data.user.email} />
        )}
      </Section>
      {hasPassword && (
        <Section title={messages.account.password} text={messages.account.passwordText}>
          <PasswordForm email={data?.user.email ?? ''} />
        </Section>
      )}
      {(hasPassword || data?.user.twoFactorEnabled) && (
        <Section title={twoFactorMessages.title} text={twoFactorMessages.text}>
          <TwoFactorState />
        </Section>
      )}
      {provider !== undefined && (
        <Section title={provider} text={signInMessages.connectText(provider)}>
          <ConnectOidc provider={provider} />
        </Section>
      )}
      <Section title={messages.account.sessions} text={messages.account.sessionsText}>
        <Sessions />
      </Section>
    </div>
  );
}

/** @param email for the password manager of the browser */
function PasswordForm({ email }: { email: string }) {
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
