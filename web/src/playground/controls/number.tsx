import { messages } from '../../messages/en.ts';
import { AutoButton } from './auto-button.tsx';
import type { ControlProps } from './shape.ts';

/** Text for a slider whose position means nothing. */
const unsetText = (absent: string | undefined) =>
  absent === undefined ? messages.playground.noDefault : messages.playground.byDefault(absent);

/** Number field with a slider, and `auto` where supported. @param most end of the slider */
export function NumberControl({ shape, title, value, absent, most, onChange }: ControlProps & { most: number }) {
  const { min = 0, max, unit, auto } = shape;
  const isAuto = value === 'auto';
  const number = Number(isAuto || value === '' ? (absent ?? most / 2) : value);
  return (
    <div className="control-number">
      <input
        className="control-slider"
        type="range"
        aria-label={messages.playground.slider(title)}
        min={min}
        max={most}
        step={shape.kind === 'integer' ? 1 : 0.1}
        value={Number.isFinite(number) ? number : min}
        data-unset={value === '' || isAuto || undefined}
        aria-valuetext={value === '' ? unsetText(absent) : undefined}
        onChange={({ target }) => onChange(target.value)}
      />
      <span className="control-digits">
        <input
          className="input"
          type="number"
          aria-label={title}
          placeholder={isAuto ? 'auto' : (absent ?? '–')}
          min={min}
          max={max}
          step={shape.kind === 'integer' ? 1 : 'any'}
          value={isAuto ? '' : value}
          onChange={({ target }) => onChange(target.value)}
        />
        {unit && <span className="control-unit">{messages.playground.units[unit] ?? unit}</span>}
      </span>
      {auto && <AutoButton isOn={isAuto} onChange={onChange} />}
    </div>
  );
}
