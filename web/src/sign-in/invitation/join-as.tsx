import { signOut } from '../../api/account.ts';
import { acceptInvitation } from '../../api/invitation.ts';
import { Button } from '../../components/button.tsx';
import { ErrorNotice } from '../../components/states.tsx';
import { useAction } from '../../components/use-action.ts';
import { invitationMessages } from '../../messages/invitation.ts';
import type { JoinProps } from './join.tsx';

interface User {
  name: string;
  email: string;
}

/** Accepts the invitation for the person who is signed in. */
export function JoinAs({ token, terms, user, onDone, onFailed }: JoinProps & { user: User }) {
  const { error, isBusy, run } = useAction();
  const isInvited = terms.email === null || terms.email === user.email;
  const join = async () => {
    try {
      await acceptInvitation(token);
    } catch (problem) {
      onFailed(problem);
      throw problem;
    }
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
