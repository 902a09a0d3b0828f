import { messages } from '../../messages/en.ts';
import type { ControlProps } from './shape.ts';

export function TextControl({ title, value, absent, onChange }: ControlProps) {
  return (
    <input
      className="input"
      aria-label={title}
      placeholder={absent === undefined ? messages.playground.noDefault : messages.playground.byDefault(absent)}
      autoComplete="off"
      spellCheck={false}
      value={value}
      onChange={({ target }) => onChange(target.value)}
    />
  );
}
