import type { UsageRow } from '../api/usage.ts';
import { formatDay } from '../components/format.ts';
import { usageMessages } from '../messages/usage.ts';
import { amountOf, formatMeasure, type Measure } from './measures.ts';

interface UsageChartProps {
  rows: readonly UsageRow[];
  /** Oldest first. */
  days: readonly string[];
  measure: Measure;
}

const HEIGHT = 100;
/** Share of a day that its bar covers. */
const BAR = 0.72;
/** A bar that is not 0 stays visible. */
const MIN_HEIGHT = 1;

/** A bar for each day. The table has the figures. */
export function UsageChart({ rows, days, measure }: UsageChartProps) {
  const values = new Map(rows.map((row) => [row.day, amountOf(row, measure)]));
  const top = Math.max(0, ...[...values.values()].map((value) => value ?? 0));
  const name = usageMessages.measures[measure];
  const shownTop = formatMeasure(measure, top);
  const day = (at: number) => formatDay(`${days.at(at)}T12:00:00`);
  return (
    <figure className="usage-chart" aria-label={name}>
      <figcaption>
        <span>{name}</span>
        <span className="quiet number">{usageMessages.top(shownTop)}</span>
      </figcaption>
      <svg
        viewBox={`0 0 ${days.length} ${HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={usageMessages.chart(name, shownTop)}
      >
        {days.map((one, index) => {
          const value = values.get(one) ?? 0;
          if (value === 0) return null;
          const height = Math.max(MIN_HEIGHT, (HEIGHT * value) / top);
          return (
            <rect key={one} x={index + (1 - BAR) / 2} y={HEIGHT - height} width={BAR} height={height}>
              <title>{`${formatDay(`${one}T12:00:00`)}: ${formatMeasure(measure, value)}`}</title>
            </rect>
          );
        })}
      </svg>
      <div className="usage-axis quiet">
        <span>{day(0)}</span>
        {days.length > 1 && <span>{day(-1)}</span>}
      </div>
    </figure>
  );
}
