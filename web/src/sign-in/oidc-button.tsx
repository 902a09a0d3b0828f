import { useEffect, useState } from 'react';
import { sessionQuery, signedIn } from '../api/account.ts';
import { queryClient } from '../api/query-client.ts';
import { beginOidcSignIn } from '../api/sign-in-methods.ts';
import { Button } from '../components/button.tsx';
import { ErrorNotice } from '../components/states.tsx';
import { signInMessages } from '../messages/sign-in.ts';

interface OidcButtonProps {
  provider: string;
  to: string;
  /** True if it is the only way to sign in. */
  isMain: boolean;
  isOverPage: boolean;
  onDone(): void;
}

/** Leads to the identity provider; over a page, in a new tab. */
export function OidcButton({ provider, to, isMain, isOverPage, onDone }: OidcButtonProps) {
  const [error, setError] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);
  const [isElsewhere, setElsewhere] = useState(false);
  useReturn(isElsewhere, onDone);
  const begin = async () => {
    setBusy(true);
    setError(undefined);
    // Browsers allow a new tab only directly after the press.
    const tab = isOverPage ? window.open('', '_blank') : null;
    try {
      const url = await beginOidcSignIn(to);
      if (tab === null) return location.assign(url);
      tab.location.href = url;
      setElsewhere(true);
    } catch (problem) {
      tab?.close();
      setError(problem);
    }
    setBusy(false);
  };
  return (
    <>
      {error !== undefined && <ErrorNotice error={error} />}
      <Button wide variant={isMain ? 'main' : undefined} isPending={isBusy} onPress={begin}>
        {signInMessages.continueWith(provider)}
      </Button>
      {isElsewhere && <p className="quiet">{signInMessages.newTab}</p>}
    </>
  );
}

/** Continues when the person comes back from another tab with a session. */
function useReturn(isElsewhere: boolean, onDone: () => void): void {
  useEffect(() => {
    if (!isElsewhere) return;
    const look = async () => {
      const session = await queryClient.fetchQuery({ ...sessionQuery, staleTime: 0 }).catch(() => null);
      if (session === null) return;
      await signedIn();
      onDone();
    };
    addEventListener('focus', look);
    return () => removeEventListener('focus', look);
  }, [isElsewhere, onDone]);
}
