import { useNavigate, useSearch } from '@tanstack/react-router';
import { PageHeader } from '../components/page-header.tsx';
import { ErrorNotice } from '../components/states.tsx';
import { usageMessages } from '../messages/usage.ts';
import type { UsageSearch } from './address.ts';
import { countDays, MAX_DAYS, rangeOf } from './days.ts';
import { RangeChoice } from './range-choice.tsx';
import { Report } from './report.tsx';
import './usage.css';

/** `/usage`: what was requested, delivered, uploaded, rendered and stored. */
export function UsagePage() {
  const search = useSearch({ from: '/shell/usage' });
  const navigate = useNavigate();
  const show = (change: UsageSearch) =>
    void navigate({ to: '/usage', search: { ...search, ...change }, replace: true });
  const range = rangeOf(search);
  const days = countDays(range);
  const isWrong = days < 1 || days > MAX_DAYS;
  return (
    <div className="page">
      <PageHeader title={usageMessages.title} lead={usageMessages.lead} documentation="usage">
        <RangeChoice search={search} range={range} onChange={show} />
      </PageHeader>
      {isWrong ? (
        <ErrorNotice error={new Error(days < 1 ? usageMessages.wrongRange : usageMessages.longRange)} />
      ) : (
        <Report search={search} onChange={show} />
      )}
    </div>
  );
}
