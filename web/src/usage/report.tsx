import { useQuery } from '@tanstack/react-query';
import { useSpace } from '../api/access.ts';
import { type Usage, type UsageGroup, usageReportQuery } from '../api/usage.ts';
import { Empty, ErrorNotice, Skeleton } from '../components/states.tsx';
import { usageMessages } from '../messages/usage.ts';
import type { UsageSearch } from './address.ts';
import { UsageChart } from './chart.tsx';
import { daysIn, rangeOf } from './days.ts';
import { formatMeasure, isEmpty, MEASURES, type Measure, measuresBy } from './measures.ts';
import { QuotaCard } from './quota-card.tsx';
import { UsageTable } from './usage-table.tsx';
import { useNames } from './use-names.ts';

interface ReportProps {
  search: UsageSearch;
  onChange(change: UsageSearch): void;
}

/** Totals, limits, and a table with a chart. */
export function Report({ search, onChange }: ReportProps) {
  const { by = 'day', measure = 'deliveredBytes' } = search;
  const { data, error, refetch } = useQuery(usageReportQuery(by, rangeOf(search)));
  const nameOf = useNames(by);
  if (error) return <ErrorNotice error={error} onRetry={refetch} />;
  if (data === undefined) return <Skeleton height={420} />;
  const rows = rowsOf(data, by);
  return (
    <>
      <Totals total={data.total} />
      <QuotaCard quota={data.quota} />
      <section className="card" aria-label={usageMessages.report}>
        <div className="card-head usage-head">
          <GroupTabs by={by} onChange={onChange} />
          <MeasureField by={by} measure={measure} onChange={onChange} />
        </div>
        {rows.every(isEmpty) ? (
          <Empty icon="usage" title={usageMessages.empty}>
            {usageMessages.emptyText}
          </Empty>
        ) : (
          <>
            {by === 'day' && <UsageChart rows={rows} days={daysIn(data)} measure={measure} />}
            <UsageTable rows={rows} by={by} measure={measure} nameOf={nameOf} />
          </>
        )}
        {by === 'key' && <p className="quiet usage-note">{usageMessages.keysText}</p>}
      </section>
    </>
  );
}

interface MeasureFieldProps extends Pick<ReportProps, 'onChange'> {
  by: UsageGroup;
  measure: Measure;
}

/** Choice of the subject of the chart. */
function MeasureField({ by, measure, onChange }: MeasureFieldProps) {
  const choose = (value: string) => onChange({ measure: MEASURES.find((one) => one === value) });
  return (
    <label className="usage-measure">
      {usageMessages.measure}
      <select className="input is-small" value={measure} onChange={({ currentTarget }) => choose(currentTarget.value)}>
        {measuresBy(by).map((one) => (
          <option key={one} value={one}>
            {usageMessages.measures[one]}
          </option>
        ))}
      </select>
    </label>
  );
}

/** Rows in the order of the table: the newest day, or the largest traffic first. */
function rowsOf({ rows }: Usage, by: UsageGroup): Usage['rows'] {
  if (by === 'day') return rows.toSorted((one, other) => ((one.day ?? '') < (other.day ?? '') ? 1 : -1));
  return rows.toSorted((one, other) => other.deliveredBytes - one.deliveredBytes || other.requests - one.requests);
}

function Totals({ total }: { total: Usage['total'] }) {
  return (
    <section aria-label={usageMessages.total}>
      <dl className="usage-totals">
        {MEASURES.map((measure) => (
          <div key={measure} className="card">
            <dt>{usageMessages.measures[measure]}</dt>
            <dd className="number">{formatMeasure(measure, total[measure])}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

function GroupTabs({ by, onChange }: Pick<MeasureFieldProps, 'by' | 'onChange'>) {
  const isSpace = useSpace() !== null;
  const groups: readonly UsageGroup[] = isSpace ? ['day', 'key'] : ['day', 'space', 'key'];
  return (
    <fieldset className="tabs usage-tabs">
      <legend className="unseen">{usageMessages.by}</legend>
      {groups.map((one) => (
        <button
          key={one}
          type="button"
          className="tab"
          aria-pressed={one === by}
          onClick={() => onChange({ by: one === 'day' ? undefined : one, measure: undefined })}
        >
          {usageMessages.groups[one]}
        </button>
      ))}
    </fieldset>
  );
}
