import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { endOtherSessions, endSession, sessionsQuery } from '../api/own-account.ts';
import type { Answers } from '../api/types.ts';
import { Button } from '../components/button.tsx';
import { Confirm } from '../components/dialog.tsx';
import { formatAgo } from '../components/format.ts';
import { Icon } from '../components/icon.tsx';
import { ErrorNotice, Skeleton } from '../components/states.tsx';
import { toast } from '../components/toasts.tsx';
import { messages } from '../messages/en.ts';
import { deviceOf } from './device.ts';

type Session = Answers['listSessions']['sessions'][number];

/** Sessions to end; all others without an id. */
interface Confirmation {
  id?: string;
  title: string;
}

export function Sessions() {
  const client = useQueryClient();
  const { data, error, refetch } = useQuery(sessionsQuery);
  const [confirmation, setConfirmation] = useState<Confirmation>();
  if (error) return <ErrorNotice error={error} onRetry={refetch} />;
  if (data === undefined) return <Skeleton height={120} />;
  const end = async ({ id }: Confirmation) => {
    await (id === undefined ? endOtherSessions() : endSession(id));
    toast(messages.account.ended);
    await client.invalidateQueries({ queryKey: sessionsQuery.queryKey });
  };
  return (
    <div className="form">
      <ul className="card rows">
        {data.map((session) => (
          <SessionRow
            key={session.id}
            session={session}
            onEnd={(device) => setConfirmation({ id: session.id, title: messages.account.endTitle(device) })}
          />
        ))}
      </ul>
      {data.length > 1 && (
        <Button onPress={() => setConfirmation({ title: messages.account.endOthersTitle(data.length - 1) })}>
          {messages.account.endOthers}
        </Button>
      )}
      {confirmation && (
        <Confirm
          title={confirmation.title}
          text={messages.account.endText}
          action={confirmation.id === undefined ? messages.account.endOthers : messages.account.endAction}
          onConfirm={() => end(confirmation)}
          onClose={() => setConfirmation(undefined)}
        />
      )}
    </div>
  );
}

function SessionRow({ session, onEnd }: { session: Session; onEnd(device: string): void }) {
  const { current, createdAt, address, userAgent } = session;
  const device = deviceOf(userAgent);
  return (
    <li className="session-row">
      <span className="row-sign">
        <Icon name="monitor" />
      </span>
      <div>
        <h3 className="row-head">
          {device}
          {current && <span className="badge is-good">{messages.account.thisOne}</span>}
        </h3>
        <p className="quiet">{[address, messages.account.since(formatAgo(createdAt))].filter(Boolean).join(' · ')}</p>
      </div>
      {!current && (
        <Button aria-label={messages.account.endOne(device)} onPress={() => onEnd(device)}>
          {messages.account.end}
        </Button>
      )}
    </li>
  );
}
