import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { accessQuery } from '../api/access.ts';
import { useIsSessionLost } from '../api/session-state.ts';
import { LIBRARY, pageOfSpace, spaceLabel, spacesQuery } from '../api/spaces.ts';
import { Button, ButtonLink } from '../components/button.tsx';
import { ErrorNotice } from '../components/states.tsx';
import { useTitle } from '../components/use-title.ts';
import { messages } from '../messages/en.ts';
import { Gate } from '../sign-in/gate.tsx';
import { SessionDialog } from './session-dialog.tsx';
import { useSignOut } from './use-sign-out.ts';

/** Shown instead of pages that the signed-in person may not enter. Whoever has one space only goes there. */
export function NoAccess() {
  const access = useQuery(accessQuery);
  const spaces = useQuery(spacesQuery);
  const isLost = useIsSessionLost();
  const leave = useSignOut();
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
      <Button wide onPress={leave}>
        {messages.shell.signOut}
      </Button>
    </Gate>
  );
}
