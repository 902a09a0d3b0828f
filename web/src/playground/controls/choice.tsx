import { Icon } from '../../components/icon.tsx';
import { messages } from '../../messages/en.ts';
import type { ControlProps } from './shape.ts';

/** Select field. Typed values outside the list, such as focal points, become an extra option. */
export function Choice({ shape: { values = [], auto }, title, value, absent, onChange }: ControlProps) {
  const all = [...values, ...(auto ? ['auto'] : [])];
  const isOther = value !== '' && !all.includes(value);
  return (
    <span className="select">
      <select className="input" aria-label={title} value={value} onChange={({ target }) => onChange(target.value)}>
        <option value="">
          {absent === undefined ? messages.playground.noDefault : messages.playground.byDefault(absent)}
        </option>
        {isOther && <option value={value}>{messages.playground.custom(value)}</option>}
        {all.map((one) => (
          <option key={one} value={one}>
            {one.replaceAll('_', ' ')}
          </option>
        ))}
      </select>
      <Icon name="chevronDown" size={16} />
    </span>
  );
}

/** Checkbox; the default value writes nothing. */
export function Switch({ title, value, absent, onChange }: ControlProps) {
  const isByDefault = absent === 'true';
  const isOn = value === '' ? isByDefault : value === 'true' || value === '1';
  return (
    <label className="control-switch">
      <input
        type="checkbox"
        aria-label={title}
        checked={isOn}
        onChange={({ target }) => onChange(target.checked === isByDefault ? '' : String(target.checked))}
      />
      <span>{messages.playground.on}</span>
    </label>
  );
}
