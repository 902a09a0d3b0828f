import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { sessionQuery } from '../api/account.ts';
import { sessionFound, useIsSessionLost } from '../api/session-state.ts';
import { ModalDialog } from '../components/dialog.tsx';
import { messages } from '../messages/en.ts';
import { SignIn } from '../sign-in/sign-in.tsx';

/** Sign-in dialog over the page: selection and uploads are retained. */
export function SessionDialog() {
  const isLost = useIsSessionLost();
  const client = useQueryClient();
  const navigate = useNavigate();
  const email = client.getQueryData(sessionQuery.queryKey)?.user.email;
  return (
    <ModalDialog title={messages.signIn.again} text={messages.signIn.againText} isOpen={isLost} isSignIn>
      <SignIn email={email} to="/" isOverPage onDone={sessionFound} />
      <button
        type="button"
        className="shell-leave"
        onClick={() => {
          sessionFound();
          client.clear();
          navigate({ to: '/login' });
        }}
      >
        {messages.signIn.leave}
      </button>
    </ModalDialog>
  );
}
