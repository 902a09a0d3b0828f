import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { type Refusal, refusalsQuery } from '../api/history.ts';
import { formatCount } from '../components/format.ts';
import { DocumentationLink } from '../components/page-header.tsx';
import { ShareBar } from '../components/share-bar.tsx';
import { ErrorNotice, Skeleton } from '../components/states.tsx';
import { historyMessages } from '../messages/history.ts';
import { statusMessages } from '../messages/status.ts';

const { refused } = statusMessages;
const DAY_MINUTES = 1440;
const SPANS = [1, 30];
/** Rarer reasons are only counted. */
const MAX_SHOWN = 12;

/** Errors of all nodes by reason. */
export function RefusedCard() {
  const [days, setDays] = useState(1);
  const { data, error, refetch } = useQuery(refusalsQuery(days));
  return (
    <section className="card usage" aria-label={refused.title}>
      <div className="card-head">
        <h2>{refused.title}</h2>
        <DocumentationLink path="errors" about={refused.title} />
        <select
          className="input is-small"
          aria-label={refused.span}
          value={days}
          onChange={({ currentTarget }) => setDays(Number(currentTarget.value))}
        >
          {SPANS.map((one) => (
            <option key={one} value={one}>
              {historyMessages.spans[one * DAY_MINUTES]}
            </option>
          ))}
        </select>
      </div>
      {error && <ErrorNotice error={error} onRetry={refetch} />}
      {!data && !error && <Skeleton height={120} />}
      {data?.length === 0 && <p className="quiet usage-none">{refused.none}</p>}
      {data !== undefined && data.length > 0 && <Table refusals={data} />}
    </section>
  );
}

function Table({ refusals }: { refusals: readonly Refusal[] }) {
  const [most] = refusals;
  const hidden = refusals.length - MAX_SHOWN;
  return (
    <>
      <table className="usage-table">
        <thead className="unseen">
          <tr>
            <th scope="col">{refused.reason}</th>
            <th scope="col">{refused.code}</th>
            <th scope="col">{refused.count}</th>
          </tr>
        </thead>
        <tbody>
          {refusals.slice(0, MAX_SHOWN).map(({ code, status, meaning, count }) => (
            <tr key={code}>
              <th scope="row">
                <span className="refused-reason">{meaning.replaceAll('`', '')}</span>
                <ShareBar share={count / (most?.count ?? 1)} />
              </th>
              <td className="quiet">
                {status} <code>{code}</code>
              </td>
              <td className="number">{formatCount(count)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {hidden > 0 && <p className="quiet usage-none">{refused.more(hidden)}</p>}
    </>
  );
}
