import { dayIn } from './day.ts';

interface DayFieldProps {
  label: string;
  day: string | undefined;
  max?: string;
  isRequired?: boolean;
  /** @param day undefined while the field is empty, as it is while a day is typed */
  onDay(day: string | undefined): void;
}

/** Field for a day. */
export function DayField({ label, day, max, isRequired, onDay }: DayFieldProps) {
  return (
    <label>
      <span>{label}</span>
      <input
        className="input is-small"
        type="date"
        required={isRequired}
        max={max}
        value={day ?? ''}
        onChange={({ currentTarget }) => onDay(dayIn(currentTarget.value))}
      />
    </label>
  );
}
