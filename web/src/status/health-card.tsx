import { useQuery } from '@tanstack/react-query';
import { useOutage } from '../api/availability.ts';
import { readinessQuery } from '../api/status.ts';
import { formatAgo } from '../components/format.ts';
import { Icon } from '../components/icon.tsx';
import { ErrorNotice, Skeleton } from '../components/states.tsx';
import { messages } from '../messages/en.ts';
import { statusMessages } from '../messages/status.ts';

/** Health of the service and its dependencies. */
export function HealthCard() {
  const { data, error, refetch } = useQuery(readinessQuery);
  const isAway = useOutage() !== undefined;
  if (isAway) return <Unreachable checks={Object.keys(data?.checks ?? {})} />;
  if (error) return <ErrorNotice error={error} onRetry={refetch} />;
  const checks = Object.entries(data?.checks ?? {});
  const isKnown = checks.length > 0 && checks.every(([, state]) => state !== 'unknown');
  const isWell = data?.unhealthyReason === undefined && checks.every(([, state]) => state === 'ok');
  if (!isKnown && data?.unhealthyReason === undefined)
    return (
      <div className="card health">
        <Skeleton width={220} height={24} />
      </div>
    );
  return (
    <section className={`card health ${isWell ? 'is-good' : 'is-bad'}`} aria-label={statusMessages.checks}>
      <div className="health-sum">
        <span className="health-sign">
          <Icon name={isWell ? 'check' : 'alert'} size={20} />
        </span>
        <div>
          <h2>{isWell ? statusMessages.healthy : statusMessages.unhealthy}</h2>
          <p className="quiet">
            {data?.unhealthyReason ?? (data?.checkedAt && statusMessages.checkedAgo(formatAgo(data.checkedAt)))}
          </p>
        </div>
      </div>
      <ul className="health-checks">
        {checks.map(([name, state]) => (
          <li key={name}>
            <span className={`dot ${state === 'ok' ? 'is-good' : 'is-bad'}`} />
            <span>{statusMessages.checkNames[name] ?? name}</span>
            <span className="quiet">{state === 'ok' ? statusMessages.good : state}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** Instead of the last report, which may be wrong by now. */
function Unreachable({ checks }: { checks: readonly string[] }) {
  return (
    <section className="card health is-away" aria-label={statusMessages.checks}>
      <div className="health-sum">
        <span className="health-sign">
          <Icon name="offline" size={20} />
        </span>
        <div>
          <h2>{statusMessages.unreachable}</h2>
          <p className="quiet">{messages.states.reconnecting}</p>
        </div>
      </div>
      <ul className="health-checks">
        {checks.map((name) => (
          <li key={name}>
            <span className="dot" />
            <span>{statusMessages.checkNames[name] ?? name}</span>
            <span className="quiet">{statusMessages.unknown}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}
