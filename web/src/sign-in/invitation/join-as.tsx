import { useState } from 'react';
import { signOut } from '../../api/account.ts';
import { acceptInvitation } from '../../api/invitation.ts';
import { Button } from '../../components/button.tsx';
import { ErrorNotice } from '../../components/states.tsx';
import { invitationMessages } from '../../messages/invitation.ts';
import type { JoinProps } from './join.tsx';

interface User {
  name: string;
  email: string;
}

/** Accepts the invitation for the person who is signed in. */
export function JoinAs({ token, terms, user, onDone, onFailed }: JoinProps & { user: User }) {
  const [error, setError] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);
  const isInvited = terms.email === null || terms.email === user.email;
  const run = async (work: () => Promise<void>) => {
    setBusy(true);
    setError(undefined);
    await work().catch((problem) => {
      onFailed(problem);
      setError(problem);
    });
    setBusy(false);
  };
  const join = async () => {
    await acceptInvitation(token);
    onDone();
  };
  const leave = async () => {
    await signOut();
    location.reload();
  };
  return (
    <div className="gate-form">
      {error !== undefined && <ErrorNotice error={error} />}
      <p className="quiet" role="status">
        {isInvited
          ? invitationMessages.signedInAs(user.email)
          : invitationMessages.wrongAddress(terms.email ?? '', user.email)}
      </p>
      {isInvited && (
        <Button variant="main" wide isPending={isBusy} onPress={() => run(join)}>
          {invitationMessages.joinAs(user.name)}
        </Button>
      )}
      <Button wide variant={isInvited ? 'plain' : 'main'} isPending={isBusy} onPress={() => run(leave)}>
        {invitationMessages.otherAccount}
      </Button>
    </div>
  );
}
