import { useState } from 'react';
import { signUrl } from '../../api/playground.ts';
import { Button } from '../../components/button.tsx';
import { ErrorNotice } from '../../components/states.tsx';
import { messages } from '../../messages/en.ts';
import { Choices } from '../choices.tsx';
import { Code } from './code.tsx';

/** In seconds, shortest first; 0 does not expire. */
const TERMS = ['3600', '86400', '604800', '2592000', '0'];

/** Form for a signed URL with an expiry. */
export function SignedUrl({ path, segment }: { path: string; segment: string }) {
  const [term, setTerm] = useState('86400');
  const [url, setUrl] = useState<string>();
  const [error, setError] = useState<unknown>();
  const sign = () =>
    signUrl(path, segment, Number(term) || undefined).then(
      (signed) => {
        setUrl(new URL(signed.url, location.href).href);
        setError(undefined);
      },
      (problem) => setError(problem),
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
        <Button icon="key" onPress={sign}>
          {messages.playground.sign}
        </Button>
      </div>
      {error !== undefined && <ErrorNotice error={error} />}
      {url === undefined ? <p className="quiet">{messages.playground.signHint}</p> : <Code text={url} />}
    </div>
  );
}
