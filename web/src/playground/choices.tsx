import { useId } from 'react';

interface ChoicesProps<Value extends string> {
  label: string;
  value: Value;
  options: readonly (readonly [Value, string])[];
  onChange(value: Value): void;
}

/** Radio group with all options visible. */
export function Choices<Value extends string>({ label, value, options, onChange }: ChoicesProps<Value>) {
  const name = useId();
  return (
    <fieldset className="play-choices">
      <legend className="unseen">{label}</legend>
      {options.map(([one, text]) => (
        <label key={one} className={`play-choice${one === value ? ' is-chosen' : ''}`}>
          <input className="unseen" type="radio" name={name} checked={one === value} onChange={() => onChange(one)} />
          {text}
        </label>
      ))}
    </fieldset>
  );
}
