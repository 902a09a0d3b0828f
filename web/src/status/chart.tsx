import { formatMoment } from '../components/format.ts';
import { messages } from '../messages/en.ts';
import { areasOf, type Point } from './chart-path.ts';

export interface Series {
  name: string;
  /** Oldest first. */
  points: readonly Point[];
  format(value: number): string;
}

const WIDTH = 300;
const HEIGHT = 64;

/** Chart of a metric: latest value, line and table. */
export function Chart({ name, points, format }: Series) {
  const said = (value: number | null | undefined) => (value == null ? messages.history.unknown : format(value));
  const values = points.flatMap(({ value }) => (value === null ? [] : [value]));
  const latest = said(points.at(-1)?.value);
  const top = said(values.length === 0 ? null : Math.max(...values));
  const { line, area } = areasOf(points, WIDTH, HEIGHT);
  return (
    <figure className="chart" aria-label={name}>
      <figcaption>
        <span>{name}</span>
        <strong className="number">{latest}</strong>
        <span className="chart-top number">{messages.history.top(top)}</span>
      </figcaption>
      <svg
        className="chart-plot"
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={messages.history.summary(name, latest, top)}
      >
        <path className="chart-area" d={area} />
        <path className="chart-line" d={line} />
      </svg>
      <Table name={name} points={points} said={said} />
    </figure>
  );
}

interface TableProps extends Pick<Series, 'name' | 'points'> {
  said(value: number | null): string;
}

/** Values as a table, newest first. */
function Table({ name, points, said }: TableProps) {
  return (
    <details className="chart-table">
      <summary aria-label={messages.history.tableOf(name)}>{messages.history.table}</summary>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by the keyboard. */}
      <section aria-label={messages.history.tableOf(name)} tabIndex={0}>
        <table>
          <thead>
            <tr>
              <th scope="col">{messages.history.time}</th>
              <th scope="col">{messages.history.value}</th>
            </tr>
          </thead>
          <tbody>
            {points.toReversed().map(({ at, value }) => (
              <tr key={at}>
                <td>{formatMoment(at)}</td>
                <td className="number">{said(value)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </details>
  );
}
