import { useQuery } from '@tanstack/react-query';
import { useLocation } from '@tanstack/react-router';
import { useState } from 'react';
import { sessionQuery } from '../../api/account.ts';
import { dashboardOf, dashboardPath } from '../../api/base.ts';
import { ApiError } from '../../api/error.ts';
import { invitationQuery, type Terms } from '../../api/invitation.ts';
import { ButtonLink } from '../../components/button.tsx';
import { ErrorNotice, Skeleton } from '../../components/states.tsx';
import { useTitle } from '../../components/use-title.ts';
import { invitationMessages } from '../../messages/invitation.ts';
import { roleMessages } from '../../messages/roles.ts';
import { Gate } from '../gate.tsx';
import { Join } from './join.tsx';
import { JoinAs } from './join-as.tsx';

/** `/invitation#token=`: accepts an invitation. A fragment is not logged anywhere. */
export function InvitationPage() {
  useTitle(invitationMessages.title);
  const hash = useLocation({ select: ({ hash }) => hash });
  const token = new URLSearchParams(hash).get('token') ?? '';
  // Another link in the same tab is another invitation.
  return <Invitation key={token} token={token} />;
}

function Invitation({ token }: { token: string }) {
  const { data: terms, error, refetch } = useQuery(invitationQuery(token));
  const session = useQuery(sessionQuery);
  const [isGone, setGone] = useState(false);
  const { title, noToken, noTokenText, gone, goneText } = invitationMessages;
  if (token === '') return <DeadEnd title={noToken} text={noTokenText} />;
  if (isGone || isUnknown(error)) return <DeadEnd title={gone} text={goneText} />;
  if (error)
    return (
      <Gate title={title} lead="">
        <ErrorNotice error={error} onRetry={refetch} />
      </Gate>
    );
  if (terms === undefined || session.isPending)
    return (
      <Gate title={title} lead="">
        <Skeleton height={210} />
      </Gate>
    );
  const onFailed = (problem: unknown) => {
    if (isUnknown(problem)) setGone(true);
  };
  const props = { token, terms, onFailed, onDone: () => enter(terms) };
  const place = terms.space?.name ?? invitationMessages.library;
  const role = roleMessages.name[terms.role];
  const { invitedBy } = terms;
  const offer =
    invitedBy === null ? invitationMessages.terms(role) : invitationMessages.termsOf(invitedBy, place, role);
  const lead = `${offer} ${roleMessages.youCan[terms.role]}`;
  return (
    <Gate title={invitationMessages.join(place)} lead={lead}>
      {session.data ? <JoinAs {...props} user={session.data.user} /> : <Join {...props} />}
    </Gate>
  );
}

const isUnknown = (error: unknown) => error instanceof ApiError && error.status === 404;

/** Opens the dashboard of the place that the invitation is for. */
function enter({ space }: Terms): void {
  location.replace(dashboardOf(space?.id));
}

function DeadEnd({ title, text }: { title: string; text: string }) {
  return (
    <Gate title={title} lead={text}>
      <ButtonLink wide href={`${dashboardPath}/`}>
        {invitationMessages.goToDashboard}
      </ButtonLink>
    </Gate>
  );
}
