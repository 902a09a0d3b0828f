import { messages } from '../../messages/en.ts';

/** Toggles the value `auto`. */
export function AutoButton({ isOn, onChange }: { isOn: boolean; onChange(value: string): void }) {
  return (
    <button type="button" className="chip" aria-pressed={isOn} onClick={() => onChange(isOn ? '' : 'auto')}>
      {messages.playground.auto}
    </button>
  );
}
