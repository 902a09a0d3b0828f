import { useEffect, useState } from 'react';
import { sessionQuery, signedIn } from '../api/account.ts';
import { queryClient } from '../api/query-client.ts';
import { beginOidcSignIn } from '../api/sign-in-methods.ts';
import { Button } from '../components/button.tsx';
import { ErrorNotice } from '../components/states.tsx';
import { useAction } from '../components/use-action.ts';
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
  const { error, isBusy, run } = useAction();
  const [isElsewhere, setElsewhere] = useState(false);
  useReturn(isElsewhere, onDone);
  const begin = async () => {
    if (!isOverPage) return location.assign(await beginOidcSignIn(to));
    // Browsers allow a new tab only directly after the press.
    const tab = window.open('', '_blank');
    if (tab === null) throw new Error(signInMessages.noTab);
    try {
      tab.location.href = await beginOidcSignIn(to);
    } catch (problem) {
      tab.close();
      throw problem;
    }
    setElsewhere(true);
  };
  return (
    <>
      {error !== undefined && <ErrorNotice error={error} />}
      <Button wide variant={isMain ? 'main' : undefined} isPending={isBusy} onPress={() => run(begin)}>
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
