import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useSpace } from '../api/access.ts';
import { type Usage, type UsageGroup, usageReportQuery } from '../api/usage.ts';
import { Empty, ErrorNotice, Skeleton } from '../components/states.tsx';
import { useTitle } from '../components/use-title.ts';
import { usageMessages } from '../messages/usage.ts';
import type { UsageSearch } from './address.ts';
import { UsageChart } from './chart.tsx';
import { countDays, daysIn, MAX_DAYS, rangeOf } from './days.ts';
import { formatMeasure, isEmpty, MEASURES } from './measures.ts';
import { QuotaCard } from './quota-card.tsx';
import { RangeChoice } from './range-choice.tsx';
import { UsageTable } from './usage-table.tsx';
import { useNames } from './use-names.ts';
import './usage.css';

/** `/usage`: what was requested, delivered, uploaded, rendered and stored. */
export function UsagePage() {
  useTitle(usageMessages.title);
  const search = useSearch({ from: '/shell/usage' });
  const navigate = useNavigate();
  const show = (change: UsageSearch) =>
    void navigate({ to: '/usage', search: { ...search, ...change }, replace: true });
  const range = rangeOf(search);
  const days = countDays(range);
  const isWrong = days < 1 || days > MAX_DAYS;
  return (
    <div className="page">
      <header className="page-head">
        <div>
          <h1>{usageMessages.title}</h1>
          <p>{usageMessages.lead}</p>
        </div>
        <RangeChoice search={search} range={range} onChange={show} />
      </header>
      {isWrong ? (
        <ErrorNotice error={new Error(days < 1 ? usageMessages.wrongRange : usageMessages.longRange)} />
      ) : (
        <Report search={search} onChange={show} />
      )}
    </div>
  );
}

interface ReportProps {
  search: UsageSearch;
  onChange(change: UsageSearch): void;
}

function Report({ search, onChange }: ReportProps) {
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
          <label className="usage-measure">
            {usageMessages.measure}
            <select
              className="input is-small"
              value={measure}
              onChange={({ currentTarget }) =>
                onChange({ measure: MEASURES.find((one) => one === currentTarget.value) })
              }
            >
              {MEASURES.filter((one) => by === 'day' || one !== 'storedBytes').map((one) => (
                <option key={one} value={one}>
                  {usageMessages.measures[one]}
                </option>
              ))}
            </select>
          </label>
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

function GroupTabs({ by, onChange }: { by: UsageGroup; onChange(change: UsageSearch): void }) {
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
