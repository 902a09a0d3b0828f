import type { UsageRange } from '../api/usage.ts';
import { dayOf } from '../components/day.ts';
import { DayField } from '../components/day-field.tsx';
import { usageMessages } from '../messages/usage.ts';
import { SPANS, USUAL_SPAN, type UsageSearch } from './address.ts';

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
  const field = { max: dayOf(Date.now()), isRequired: true };
  return (
    <div className="usage-range">
      {isCustom && (
        <>
          <DayField
            {...field}
            label={usageMessages.from}
            day={range.from}
            onDay={(from) => from && onChange({ from })}
          />
          <DayField {...field} label={usageMessages.to} day={range.to} onDay={(to) => to && onChange({ to })} />
        </>
      )}
      <select
        className="input is-small"
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
