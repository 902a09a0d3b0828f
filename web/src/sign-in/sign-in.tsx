import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { signInMethodsQuery } from '../api/sign-in-methods.ts';
import { Skeleton } from '../components/states.tsx';
import { signInMessages } from '../messages/sign-in.ts';
import { CodeForm } from './code-form.tsx';
import { OidcButton } from './oidc-button.tsx';
import { SignInForm } from './sign-in-form.tsx';
import './sign-in.css';

interface SignInProps {
  email?: string | undefined;
  /** Page to continue with after the identity provider. */
  to: string;
  /** True over a page that must not be left. */
  isOverPage?: boolean;
  onDone(): void;
}

/** All ways to sign in: the identity provider, a password, and the code after it. */
export function SignIn({ email, to, isOverPage = false, onDone }: SignInProps) {
  const { data: methods, failureCount } = useQuery(signInMethodsQuery);
  const [needsCode, setNeedsCode] = useState(false);
  if (needsCode) return <CodeForm onDone={onDone} onBack={() => setNeedsCode(false)} />;
  if (methods === undefined && failureCount === 0) return <Skeleton height={210} />;
  // Without an answer: most services accept passwords.
  const hasPassword = methods?.password ?? true;
  const provider = methods?.oidc?.name;
  return (
    <div className="gate-form">
      {provider !== undefined && (
        <OidcButton provider={provider} to={to} isMain={!hasPassword} isOverPage={isOverPage} onDone={onDone} />
      )}
      {provider !== undefined && hasPassword && <p className="gate-or">{signInMessages.or}</p>}
      {hasPassword && (
        <SignInForm {...(email !== undefined && { email })} onDone={onDone} onCode={() => setNeedsCode(true)} />
      )}
    </div>
  );
}
