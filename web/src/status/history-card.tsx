import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { HISTORY_MINUTES, historyQuery, isOfAllNodes, type Sample } from '../api/history.ts';
import { formatBytes, formatCount } from '../components/format.ts';
import { ErrorNotice, Skeleton } from '../components/states.tsx';
import { historyMessages } from '../messages/history.ts';
import { Chart, type Series } from './chart.tsx';
import './history.css';

const { charts } = historyMessages;
const bytes = (value: number) => formatBytes(Math.round(value));
const milliseconds = (value: number) => historyMessages.milliseconds(formatCount(Math.round(value)));
const whole = (value: number) => formatCount(Math.round(value));

interface Metric extends Omit<Series, 'lines'> {
  lines: readonly { name?: string; of(sample: Sample): number | null | undefined }[];
}

/** Charts in the order of a diagnosis. @param isHourly true for samples of all nodes by hour */
function metricsOf(isHourly: boolean): readonly Metric[] {
  const common: Metric[] = [
    {
      name: isHourly ? charts.requestsOfHour : charts.requests,
      format: whole,
      lines: [{ of: ({ requests }) => requests }],
    },
    { name: charts.hitRate, format: historyMessages.percent, top: 100, lines: [{ of: hitRateOf }] },
    {
      name: charts.render,
      format: milliseconds,
      lines: [
        { name: historyMessages.p50, of: ({ renderP50Ms }) => renderP50Ms },
        { name: historyMessages.p95, of: ({ renderP95Ms }) => renderP95Ms },
      ],
    },
    {
      name: isHourly ? charts.bytesSentOfHour : charts.bytesSent,
      format: bytes,
      isBytes: true,
      lines: [{ of: ({ bytesSent }) => bytesSent }],
    },
  ];
  if (isHourly) return common;
  return [
    ...common,
    { name: charts.rss, format: bytes, isBytes: true, lines: [{ of: ({ rss }) => rss }] },
    { name: charts.jobs, format: whole, lines: [{ of: ({ jobs }) => jobs }] },
  ];
}

/** Percent; null without requests. */
function hitRateOf({ hits, misses }: Sample): number | null {
  return hits + misses === 0 ? null : (100 * hits) / (hits + misses);
}

/** Charts of this node, and of all nodes over a month. */
export function HistoryCard() {
  const [minutes, setMinutes] = useState<number>(HISTORY_MINUTES[0]);
  const { data, error, refetch, isPlaceholderData } = useQuery(historyQuery(minutes));
  // While another span is loaded, the samples are still those of the last one.
  const isHourly = data?.samples[0] !== undefined && data.samples[0].rss === undefined;
  return (
    <section className="card" aria-labelledby="history-title" aria-busy={isPlaceholderData}>
      <div className="card-head">
        <h2 id="history-title">{historyMessages.title}</h2>
        <span className="quiet history-of">
          {isOfAllNodes(minutes) ? historyMessages.ofAll : historyMessages.ofNode}
        </span>
        <select
          className="input is-small"
          aria-label={historyMessages.span}
          value={minutes}
          onChange={(event) => setMinutes(Number(event.currentTarget.value))}
        >
          {HISTORY_MINUTES.map((one) => (
            <option key={one} value={one}>
              {historyMessages.spans[one]}
            </option>
          ))}
        </select>
      </div>
      {error && <ErrorNotice error={error} onRetry={refetch} />}
      {!data && !error && <Skeleton height={280} />}
      {data?.samples.length === 0 && <p className="quiet history-none">{historyMessages.none}</p>}
      {data !== undefined && data.samples.length > 0 && (
        <div className="history-charts">
          {metricsOf(isHourly).map(({ lines, ...series }) => (
            <Chart
              key={series.name}
              {...series}
              lines={lines.map(({ of, ...line }) => ({
                ...line,
                points: data.samples.map((one) => ({ at: one.at, value: of(one) ?? null })),
              }))}
            />
          ))}
        </div>
      )}
    </section>
  );
}
