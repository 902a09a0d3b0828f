import type { UsageRange } from '../api/usage.ts';
import { usageMessages } from '../messages/usage.ts';
import { SPANS, USUAL_SPAN, type UsageSearch } from './address.ts';
import { dayOf } from './days.ts';

interface RangeChoiceProps {
  search: UsageSearch;
  range: UsageRange;
  onChange(change: UsageSearch): void;
}

/** Days up to today, or a first and a last day. */
export function RangeChoice({ search, range, onChange }: RangeChoiceProps) {
  const isCustom = search.from !== undefined || search.to !== undefined;
  const choose = (value: string) => {
    if (value === 'custom') return onChange({ ...range, days: undefined });
    const days = Number(value);
    onChange({ from: undefined, to: undefined, days: days === USUAL_SPAN ? undefined : days });
  };
  const today = dayOf(Date.now());
  return (
    <div className="usage-range">
      {isCustom && (
        <>
          <DayField label={usageMessages.from} value={range.from} max={today} onDay={(from) => onChange({ from })} />
          <DayField label={usageMessages.to} value={range.to} max={today} onDay={(to) => onChange({ to })} />
        </>
      )}
      <select
        aria-label={usageMessages.range}
        value={isCustom ? 'custom' : (search.days ?? USUAL_SPAN)}
        onChange={({ currentTarget }) => choose(currentTarget.value)}
      >
        {SPANS.map((days) => (
          <option key={days} value={days}>
            {usageMessages.days(days)}
          </option>
        ))}
        <option value="custom">{usageMessages.custom}</option>
      </select>
    </div>
  );
}

interface DayFieldProps {
  label: string;
  value: string;
  max: string;
  onDay(day: string): void;
}

function DayField({ label, value, max, onDay }: DayFieldProps) {
  return (
    <label>
      <span>{label}</span>
      <input
        type="date"
        required
        max={max}
        value={value}
        // A day that is being typed is empty at times.
        onChange={({ currentTarget }) => currentTarget.value !== '' && onDay(currentTarget.value)}
      />
    </label>
  );
}
