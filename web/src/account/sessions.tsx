import { useQuery, useQueryClient } from '@tanstack/react-query';
import { endOtherSessions, endSession, sessionsQuery } from '../api/own-account.ts';
import { Button } from '../parts/button.tsx';
import { formatAgo } from '../parts/format.ts';
import { Icon } from '../parts/icon.tsx';
import { adviceOn, ErrorNotice, Skeleton } from '../parts/states.tsx';
import { toast } from '../parts/toasts.tsx';
import { words } from '../words/en.ts';
import { deviceOf } from './device.ts';

/** Where one is signed in. */
export function Sessions() {
  const client = useQueryClient();
  const { data, error, refetch } = useQuery(sessionsQuery);
  if (error) return <ErrorNotice error={error} onRetry={refetch} />;
  if (data === undefined) return <Skeleton height={120} />;
  const end = (ending: Promise<unknown>) =>
    ending
      .then(() => toast(words.account.ended))
      .catch((problem) => toast(adviceOn(problem)))
      .then(() => client.invalidateQueries({ queryKey: sessionsQuery.queryKey }));
  return (
    <div className="form">
      <ul className="card rows">
        {data.map(({ id, current, createdAt, address, userAgent }) => {
          const device = deviceOf(userAgent);
          return (
            <li key={id} className="session-row">
              <span className="row-sign">
                <Icon name="monitor" />
              </span>
              <div>
                <h3>
                  {device}
                  {current && <span className="badge is-good">{words.account.thisOne}</span>}
                </h3>
                <p className="quiet">
                  {[address, words.account.since(formatAgo(createdAt))].filter(Boolean).join(' · ')}
                </p>
              </div>
              {!current && (
                <Button aria-label={words.account.endOne(device)} onPress={() => end(endSession(id))}>
                  {words.account.end}
                </Button>
              )}
            </li>
          );
        })}
      </ul>
      {data.length > 1 && <Button onPress={() => end(endOtherSessions())}>{words.account.endOthers}</Button>}
    </div>
  );
}
