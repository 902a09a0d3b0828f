import { useNavigate, useSearch } from '@tanstack/react-router';
import { ErrorNotice } from '../components/states.tsx';
import { useTitle } from '../components/use-title.ts';
import { usageMessages } from '../messages/usage.ts';
import type { UsageSearch } from './address.ts';
import { countDays, MAX_DAYS, rangeOf } from './days.ts';
import { RangeChoice } from './range-choice.tsx';
import { Report } from './report.tsx';
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
