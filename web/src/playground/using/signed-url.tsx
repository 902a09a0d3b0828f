import { useState } from 'react';
import { useAccess, useIsInstallationAdmin } from '../../api/access.ts';
import { ApiError } from '../../api/error.ts';
import { signUrl } from '../../api/playground.ts';
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
  const isAdmin = useIsInstallationAdmin();
  // Stored rights may be older than this property.
  const isMissing =
    useAccess()?.canSign === false || (error instanceof ApiError && error.code === 'signing_not_configured');
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
          {isAdmin ? messages.playground.noSecret : messages.playground.askForSecret} <code>API_SECRET</code>.{' '}
          {isAdmin && messages.playground.setSecret}
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
      {url === undefined ? (
        <p className="quiet">{messages.playground.signHint}</p>
      ) : (
        <Code text={url} what={messages.playground.names.signed} />
      )}
    </div>
  );
}
