import { messages } from '../../messages/en.ts';
import { formatPoint, inImage, parsePoint } from '../preview/geometry.ts';
import { usePlaygroundSearch } from '../use-played.ts';
import { DIRECTIONS, Directions } from './directions.tsx';
import type { ControlProps, Shape } from './shape.ts';

const { focus } = messages.playground;

/** True for positions that may also be a detected one or a point. */
export const isFocus = ({ values = [] }: Shape): boolean =>
  values.includes('focal') && DIRECTIONS.every((direction) => values.includes(direction));

const MODES = [
  ['focal', /^focal$/, focus.focal],
  ['face', /^faces?(_center)?$/, focus.face],
  ['auto', /^auto(_center)?$/, focus.auto],
] as const;

/** Picker for the part that a crop keeps: nine positions, faces, automatic, or a point. */
export function Focus({ hasPeople, ...props }: ControlProps & { hasPeople: boolean }) {
  const { shape, value, absent, onChange } = props;
  const [, change] = usePlaygroundSearch();
  const point = parsePoint(value);
  const modes = MODES.filter(([mode]) => [...(shape.values ?? []), 'auto'].includes(mode)).filter(
    ([mode]) => mode !== 'face' || hasPeople,
  );
  return (
    <div className="control-focus">
      <Directions {...props} />
      <div className="control-modes">
        {modes.map(([mode, pattern, text]) => {
          const isOn = pattern.test(value === '' ? (absent ?? '') : value);
          return (
            <button
              key={mode}
              type="button"
              className="chip"
              aria-pressed={isOn}
              onClick={() => onChange(mode === absent ? '' : mode)}
            >
              {text}
            </button>
          );
        })}
        <button
          type="button"
          className="chip"
          aria-pressed={point !== undefined}
          onClick={() => {
            if (!point) onChange(formatPoint({ x: 0.5, y: 0.5 }));
            change({ look: 'point' });
          }}
        >
          {focus.point}
        </button>
      </div>
      {point && <PointFields point={point} onChange={onChange} />}
    </div>
  );
}

function PointFields({ point, onChange }: { point: { x: number; y: number } } & Pick<ControlProps, 'onChange'>) {
  return (['x', 'y'] as const).map((axis) => (
    <span key={axis} className="control-digits">
      <input
        className="input"
        type="number"
        aria-label={focus[axis]}
        min={0}
        max={100}
        step="any"
        value={Math.round(point[axis] * 1000) / 10}
        onChange={({ target }) => {
          // Emptied to type another value.
          if (target.value !== '') onChange(formatPoint(inImage({ ...point, [axis]: Number(target.value) / 100 })));
        }}
      />
      <span className="control-unit">%</span>
    </span>
  ));
}
