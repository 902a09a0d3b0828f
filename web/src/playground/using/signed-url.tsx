import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useIsInstallationAdmin } from '../../api/access.ts';
import { ApiError } from '../../api/error.ts';
import { signUrl } from '../../api/playground.ts';
import { settingsQuery } from '../../api/settings.ts';
import { Button } from '../../components/button.tsx';
import { Icon } from '../../components/icon.tsx';
import { ErrorNotice } from '../../components/states.tsx';
import { messages } from '../../messages/en.ts';
import { Choices } from '../choices.tsx';
import { Code } from './code.tsx';

/** In seconds, shortest first; 0 does not expire. */
const TERMS = ['3600', '86400', '604800', '2592000', '0'];

interface SignedUrlProps {
  path: string;
  segment: string;
  isBroken: boolean;
}

/** Form for a signed URL with an expiry. */
export function SignedUrl({ path, segment, isBroken }: SignedUrlProps) {
  const [term, setTerm] = useState('86400');
  const [url, setUrl] = useState<string>();
  const [error, setError] = useState<unknown>();
  const isMissing = useIsSecretMissing() || (error instanceof ApiError && error.code === 'signing_not_configured');
  const sign = () =>
    signUrl(path, segment, Number(term) || undefined).then(
      (signed) => {
        setUrl(new URL(signed.url, location.href).href);
        setError(undefined);
      },
      (problem) => setError(problem),
    );
  if (isMissing)
    return (
      <div className="notice is-warning">
        <Icon name="alert" />
        <div>
          {messages.playground.noSecret} <code>API_SECRET</code>. {messages.playground.setSecret}
        </div>
      </div>
    );
  return (
    <div className="signing">
      <div className="signing-bar">
        <Choices
          label={messages.playground.expires}
          value={term}
          options={TERMS.map((one) => [one, messages.playground.terms[one] ?? one] as const)}
          onChange={setTerm}
        />
        <Button icon="key" isDisabled={isBroken} onPress={sign}>
          {messages.playground.sign}
        </Button>
      </div>
      {error !== undefined && <ErrorNotice error={error} />}
      {url === undefined ? <p className="quiet">{messages.playground.signHint}</p> : <Code text={url} />}
    </div>
  );
}

/** True if nothing can be signed. Only admins of the installation read settings; spaces have their own secret. */
function useIsSecretMissing(): boolean {
  const isAdmin = useIsInstallationAdmin();
  const { data } = useQuery({ ...settingsQuery, enabled: isAdmin });
  return isAdmin && data?.settings.find(({ name }) => name === 'API_SECRET')?.isSet === false;
}
