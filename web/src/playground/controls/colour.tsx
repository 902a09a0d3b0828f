import { messages } from '../../messages/en.ts';
import { AutoButton } from './auto-button.tsx';
import type { ControlProps } from './shape.ts';

const NAMED: Record<string, string> = { white: 'ffffff', black: '000000' };

/** Colour picker with a text field for `transparent` and alpha, and `auto` where supported. */
export function ColourControl({ shape, title, value, absent, onChange }: ControlProps) {
  return (
    <div className="control-colour">
      <input
        type="color"
        data-unset={value === '' || undefined}
        aria-label={messages.playground.picker(title)}
        value={hexOf(value === '' ? (absent ?? 'white') : value)}
        onChange={({ target }) => onChange(target.value.slice(1))}
      />
      <input
        className="input"
        aria-label={title}
        placeholder={absent ?? messages.playground.noDefault}
        autoComplete="off"
        spellCheck={false}
        value={value}
        onChange={({ target }) => onChange(target.value)}
      />
      {shape.auto && <AutoButton isOn={value === 'auto'} onChange={onChange} />}
    </div>
  );
}

/** Colour as the picker can show it: six digits, no alpha. */
function hexOf(colour: string): string {
  const digits = NAMED[colour] ?? colour.replace(/^rgb:/, '');
  const long = digits.length === 3 ? digits.replace(/./g, '$&$&') : digits.slice(0, 6);
  return /^[0-9a-f]{6}$/i.test(long) ? `#${long.toLowerCase()}` : '#ffffff';
}
