import { USUAL_RATIOS } from '../preview/geometry.ts';
import type { ControlProps } from './shape.ts';
import { TextControl } from './text.tsx';

/** Text field with common ratios. */
export function Ratio(props: ControlProps) {
  const { value, onChange } = props;
  return (
    <div className="control-ratio">
      <TextControl {...props} />
      {USUAL_RATIOS.map((ratio) => (
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
