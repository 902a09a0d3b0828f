import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { accessQuery, useAccess, useSpace } from '../api/access.ts';
import { sessionQuery } from '../api/account.ts';
import { type Invitation, type Member, membersQuery, ROLES, type Role } from '../api/people.ts';
import { Button } from '../components/button.tsx';
import { usePageActions } from '../components/page-actions.ts';
import { PageHeader } from '../components/page-header.tsx';
import { Empty, ErrorNotice, Skeleton } from '../components/states.tsx';
import { peopleMessages } from '../messages/people.ts';
import { roleMessages } from '../messages/roles.ts';
import { InvitationRow } from './invitation-row.tsx';
import { InviteDialog } from './invite-dialog.tsx';
import { MemberRow } from './member-row.tsx';
import { useSenders } from './use-senders.ts';
import './people.css';

/** `/people`: members, their roles and open invitations. */
export function PeoplePage() {
  const client = useQueryClient();
  const { data: session } = useQuery(sessionQuery);
  const { data, error, refetch } = useQuery(membersQuery);
  const [isInviting, setInviting] = useState(false);
  const ownRole: Role = useAccess()?.role ?? 'viewer';
  const isSpace = useSpace() !== null;
  const ownId = session?.user.id;
  const listedRole = data?.members.find(({ userId }) => userId === ownId)?.role;
  useEffect(() => {
    // The list may know of another role than the last read rights.
    if (listedRole !== undefined) void client.invalidateQueries({ queryKey: accessQuery.queryKey });
  }, [client, listedRole]);
  const invite = () => setInviting(true);
  usePageActions([{ label: peopleMessages.invite, icon: 'plus', run: invite }]);
  const changed = () => client.invalidateQueries({ queryKey: membersQuery.queryKey });
  return (
    <div className="page">
      <PageHeader
        title={peopleMessages.title}
        lead={isSpace ? peopleMessages.leadOfSpace : peopleMessages.lead}
        documentation="people"
      >
        <Button variant="main" icon="plus" onPress={invite}>
          {peopleMessages.invite}
        </Button>
      </PageHeader>
      {error && <ErrorNotice error={error} onRetry={refetch} />}
      {data === undefined && !error && <Skeleton height={180} />}
      {data?.members.length === 0 && (
        <Empty icon="people" title={peopleMessages.empty}>
          {peopleMessages.emptyText}
        </Empty>
      )}
      {data !== undefined && data.members.length > 0 && (
        <section className="card" aria-labelledby="members-title">
          <div className="card-head">
            <h2 id="members-title">{peopleMessages.members}</h2>
          </div>
          <ul className="rows">
            {data.members.map((member) => (
              <MemberRow
                key={member.userId}
                member={member}
                isOwn={member.userId === ownId}
                ownRole={ownRole}
                onChanged={changed}
              />
            ))}
          </ul>
        </section>
      )}
      {data !== undefined && data.invitations.length > 0 && (
        <Invitations {...data} ownRole={ownRole} onChanged={changed} />
      )}
      <RolesCard />
      {isInviting && <InviteDialog ownRole={ownRole} onCreated={changed} onClose={() => setInviting(false)} />}
    </div>
  );
}

interface InvitationsProps {
  members: readonly Member[];
  invitations: readonly Invitation[];
  ownRole: Role;
  onChanged(): void;
}

function Invitations({ members, invitations, ...rest }: InvitationsProps) {
  const senderOf = useSenders({ members, invitations });
  return (
    <section className="card" aria-labelledby="invitations-title">
      <div className="card-head">
        <h2 id="invitations-title">{peopleMessages.invitations}</h2>
      </div>
      <ul className="rows">
        {invitations.map((invitation) => (
          <InvitationRow key={invitation.id} invitation={invitation} sender={senderOf(invitation)} {...rest} />
        ))}
      </ul>
    </section>
  );
}

function RolesCard() {
  return (
    <section className="card" aria-labelledby="roles-title">
      <div className="card-head">
        <h2 id="roles-title">{peopleMessages.roles}</h2>
      </div>
      <dl className="page-facts people-roles">
        {ROLES.map((role) => (
          <div key={role}>
            <dt>{roleMessages.name[role]}</dt>
            <dd className="quiet">{roleMessages.text[role]}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
