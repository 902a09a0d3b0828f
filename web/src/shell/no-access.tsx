import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useEffect } from 'react';
import { accessQuery } from '../api/access.ts';
import { signOut } from '../api/account.ts';
import { useIsSessionLost } from '../api/session-state.ts';
import { LIBRARY, spacesQuery } from '../api/spaces.ts';
import { Button, ButtonLink } from '../components/button.tsx';
import { ErrorNotice, errorMessage } from '../components/states.tsx';
import { toast } from '../components/toasts.tsx';
import { useTitle } from '../components/use-title.ts';
import { messages } from '../messages/en.ts';
import { Gate } from '../sign-in/gate.tsx';
import { SessionDialog } from './session-dialog.tsx';
import { pageOfSpace, spaceLabel } from './space-switcher.tsx';

/** Shown instead of pages that the signed-in person may not enter. Whoever has one space only goes there. */
export function NoAccess() {
  const access = useQuery(accessQuery);
  const spaces = useQuery(spacesQuery);
  const isLost = useIsSessionLost();
  const here = access.data?.space?.id ?? LIBRARY;
  const others = (spaces.data ?? []).filter(({ id }) => id !== here);
  const isKnown = access.isFetched && !access.isFetching && access.data !== undefined;
  const only = isKnown && here === LIBRARY && others.length === 1 ? others[0] : undefined;
  useEffect(() => {
    if (only) location.replace(pageOfSpace(only));
  }, [only]);
  useTitle(messages.name);
  if (isLost) return <SessionDialog />;
  if (only || spaces.isPending || (!isKnown && !access.error)) return null;
  return (
    <Gate title={messages.shell.noAccess} lead={access.error ? '' : messages.shell.noAccessText}>
      {access.error && <ErrorNotice error={access.error} onRetry={access.refetch} />}
      {others.length > 0 && (
        <>
          <p>{messages.shell.otherSpaces}</p>
          {others.map((space) => (
            <ButtonLink key={space.id} wide href={pageOfSpace(space)}>
              {spaceLabel(space)}
            </ButtonLink>
          ))}
        </>
      )}
      <SignOutButton />
    </Gate>
  );
}

function SignOutButton() {
  const navigate = useNavigate();
  const leave = () =>
    signOut().then(
      () => navigate({ to: '/login' }),
      (error) => toast(errorMessage(error)),
    );
  return (
    <Button wide onPress={leave}>
      {messages.shell.signOut}
    </Button>
  );
}
