import type { ControlProps } from './shape.ts';
import { TextControl } from './text.tsx';

const USUAL = ['1:1', '4:3', '3:2', '16:9', '4:5', '9:16'];

/** Text field with common ratios. */
export function Ratio(props: ControlProps) {
  const { value, onChange } = props;
  return (
    <div className="control-ratio">
      <TextControl {...props} />
      {USUAL.map((ratio) => (
        <button
          key={ratio}
          type="button"
          className="chip number"
          aria-pressed={value === ratio}
          onClick={() => onChange(value === ratio ? '' : ratio)}
        >
          {ratio}
        </button>
      ))}
    </div>
  );
}
