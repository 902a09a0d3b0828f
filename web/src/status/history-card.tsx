import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { HISTORY_MINUTES, historyQuery, type Sample } from '../api/history.ts';
import { formatBytes, formatCount } from '../components/format.ts';
import { ErrorNotice, Skeleton } from '../components/states.tsx';
import { messages } from '../messages/en.ts';
import { Chart, type Series } from './chart.tsx';
import './history.css';

const bytes = (value: number) => formatBytes(Math.round(value));
const milliseconds = (value: number) => messages.history.milliseconds(formatCount(Math.round(value)));
const whole = (value: number) => formatCount(Math.round(value));

/** Charts in the order of a diagnosis. */
const SERIES: readonly (Omit<Series, 'points'> & { of(sample: Sample): number | null })[] = [
  { name: messages.history.charts.requests, format: whole, of: ({ requests }) => requests },
  { name: messages.history.charts.hitRate, format: messages.history.percent, of: hitRateOf },
  { name: messages.history.charts.renderP95, format: milliseconds, of: ({ renderP95Ms }) => renderP95Ms },
  { name: messages.history.charts.bytesSent, format: bytes, of: ({ bytesSent }) => bytesSent },
  { name: messages.history.charts.rss, format: bytes, of: ({ rss }) => rss },
  { name: messages.history.charts.jobs, format: whole, of: ({ jobs }) => jobs },
];

/** Percent; null without requests. */
function hitRateOf({ hits, misses }: Sample): number | null {
  return hits + misses === 0 ? null : (100 * hits) / (hits + misses);
}

/** Charts of this node. */
export function HistoryCard() {
  const [minutes, setMinutes] = useState<number>(HISTORY_MINUTES[0]);
  const { data, error, refetch } = useQuery(historyQuery(minutes));
  return (
    <section className="card" aria-labelledby="history-title">
      <div className="card-head">
        <h2 id="history-title">{messages.history.title}</h2>
        <select
          className="input is-small"
          aria-label={messages.history.span}
          value={minutes}
          onChange={(event) => setMinutes(Number(event.currentTarget.value))}
        >
          {HISTORY_MINUTES.map((one) => (
            <option key={one} value={one}>
              {messages.history.spans[one]}
            </option>
          ))}
        </select>
      </div>
      {error && <ErrorNotice error={error} onRetry={refetch} />}
      {!data && !error && <Skeleton height={280} />}
      {data?.samples.length === 0 && <p className="quiet history-none">{messages.history.none}</p>}
      {data !== undefined && data.samples.length > 0 && (
        <div className="history-charts">
          {SERIES.map(({ of, ...series }) => (
            <Chart key={series.name} {...series} points={data.samples.map((one) => ({ at: one.at, value: of(one) }))} />
          ))}
        </div>
      )}
    </section>
  );
}
