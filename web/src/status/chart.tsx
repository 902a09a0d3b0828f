import { type PointerEvent, useState } from 'react';
import { formatMoment, formatShortDay, formatTime } from '../components/format.ts';
import { historyMessages } from '../messages/history.ts';
import { indexAt, shareOf, topOf } from './axis.ts';
import { areasOf, type Point } from './chart-path.ts';

export interface Line {
  /** Undefined for the only line of a chart. */
  name?: string;
  /** Oldest first. */
  points: readonly Point[];
}

export interface Series {
  name: string;
  /** With the same times. */
  lines: readonly Line[];
  format(value: number): string;
  /** Fixed top of the scale. */
  top?: number;
  isBytes?: boolean;
}

const WIDTH = 300;
const HEIGHT = 96;
const DAY_MS = 86_400_000;

/** Chart of a metric: latest values, lines with axes and a tooltip, and a table. */
export function Chart(series: Series) {
  const { name, lines, format, isBytes } = series;
  const said = (value: number | null | undefined) => (value == null ? historyMessages.unknown : format(value));
  const values = lines.flatMap(({ points }) => points.flatMap(({ value }) => (value === null ? [] : [value])));
  const maximum = said(values.length === 0 ? null : Math.max(...values));
  const top = series.top ?? topOf(Math.max(0, ...values), isBytes);
  const latest = lines.map(({ name: line, points }) => [line, said(points.at(-1)?.value)].filter(Boolean).join(' '));
  const summary = historyMessages.summary(name, latest.join(', '), maximum);
  return (
    <figure className="chart" aria-label={name}>
      <figcaption>
        <span>{name}</span>
        {lines.map(({ name: line, points }) => (
          <strong key={line ?? name} className="number">
            {said(points.at(-1)?.value)}
            {line && <small>{line}</small>}
          </strong>
        ))}
        <span className="chart-top number">{historyMessages.top(maximum)}</span>
      </figcaption>
      <div className="chart-body">
        <div className="chart-y number" aria-hidden="true">
          <span>{format(top)}</span>
          <span>{format(top / 2)}</span>
          <span>{format(0)}</span>
        </div>
        <Plot name={name} lines={lines} top={top} summary={summary} said={said} />
        <TimeAxis points={lines[0]?.points ?? []} />
      </div>
      <Table name={name} lines={lines} said={said} />
    </figure>
  );
}

interface PlotProps extends Pick<Series, 'name' | 'lines'> {
  top: number;
  summary: string;
  said(value: number | null | undefined): string;
}

/** Lines below a slider that moves over the points: by mouse, touch and arrow keys. */
function Plot({ name, lines, top, summary, said }: PlotProps) {
  const [index, setIndex] = useState<number>();
  const times = lines[0]?.points ?? [];
  const count = times.length;
  const at = Math.min(index ?? count - 1, count - 1);
  const values = lines.map(({ name: line, points }) => [line, said(points[at]?.value)].filter(Boolean).join(' '));
  const text = `${formatMoment(times[at]?.at ?? 0)}: ${values.join(', ')}`;
  const share = shareOf(at, count);
  const point = ({ clientX, currentTarget }: PointerEvent) => {
    const { left, width } = currentTarget.getBoundingClientRect();
    setIndex(indexAt((clientX - left) / width, count));
  };
  return (
    <div className="chart-plot">
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" role="img" aria-label={summary}>
        <path className="chart-grid" d={`M0 ${HEIGHT / 2}H${WIDTH}M0 1H${WIDTH}`} />
        {lines.map(({ name: line, points }, order) => {
          const drawn = areasOf(points, WIDTH, HEIGHT, top);
          return (
            <g key={line ?? name} className={order === 0 ? '' : 'chart-second'}>
              {lines.length === 1 && <path className="chart-area" d={drawn.area} />}
              <path className="chart-line" d={drawn.line} />
            </g>
          );
        })}
      </svg>
      <input
        type="range"
        aria-label={historyMessages.point(name)}
        aria-valuetext={text}
        min={0}
        max={Math.max(0, count - 1)}
        value={at}
        onChange={({ currentTarget }) => setIndex(Number(currentTarget.value))}
        onFocus={() => setIndex((old) => old ?? count - 1)}
        onBlur={() => setIndex(undefined)}
        onPointerMove={point}
        onPointerLeave={({ currentTarget }) => currentTarget !== document.activeElement && setIndex(undefined)}
      />
      {index !== undefined && (
        <div className="chart-cursor" style={{ insetInlineStart: `${share * 100}%` }} aria-hidden="true">
          <span className={`chart-tip number${share > 0.5 ? ' is-late' : ''}`}>{text}</span>
        </div>
      )}
    </div>
  );
}

/** Times at the ends and in the middle: of day, or days of longer spans. */
function TimeAxis({ points }: { points: readonly Point[] }) {
  const first = points[0];
  const last = points.at(-1);
  if (first === undefined || last === undefined) return null;
  const isLong = Date.parse(last.at) - Date.parse(first.at) > DAY_MS;
  const format = isLong ? formatShortDay : formatTime;
  const shown = [first, points[Math.floor(points.length / 2)] ?? first, last];
  return (
    <div className="chart-x number" aria-hidden="true">
      {points.length > 2 ? shown.map(({ at }) => <span key={at}>{format(at)}</span>) : <span>{format(last.at)}</span>}
    </div>
  );
}

/** Values as a table, newest first. */
function Table({ name, lines, said }: Pick<PlotProps, 'name' | 'lines' | 'said'>) {
  const times = lines[0]?.points ?? [];
  return (
    <details className="chart-table">
      <summary aria-label={historyMessages.tableOf(name)}>{historyMessages.table}</summary>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by the keyboard. */}
      <section aria-label={historyMessages.tableOf(name)} tabIndex={0}>
        <table>
          <thead>
            <tr>
              <th scope="col">{historyMessages.time}</th>
              {lines.map(({ name: line }) => (
                <th key={line ?? name} scope="col">
                  {line ?? historyMessages.value}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {times
              .map(({ at }, index) => (
                <tr key={at}>
                  <td>{formatMoment(at)}</td>
                  {lines.map(({ name: line, points }) => (
                    <td key={line ?? name} className="number">
                      {said(points[index]?.value)}
                    </td>
                  ))}
                </tr>
              ))
              .toReversed()}
          </tbody>
        </table>
      </section>
    </details>
  );
}
