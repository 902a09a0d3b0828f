import { useId } from 'react';
import type { ControlProps, Shape } from './shape.ts';
import './directions.css';

/** In visual order. */
export const DIRECTIONS = [
  'north_west',
  'north',
  'north_east',
  'west',
  'center',
  'east',
  'south_west',
  'south',
  'south_east',
];

/** True if the values are exactly the nine directions. */
export const areDirections = ({ values = [], auto }: Shape): boolean =>
  !auto && values.length === DIRECTIONS.length && DIRECTIONS.every((direction) => values.includes(direction));

/** `se` is `south_east`. */
export const directionOf = (value: string): string =>
  DIRECTIONS.find((one) => one === value || one.replace(/([a-z])[a-z]+(?:_([a-z])[a-z]+)?/, '$1$2') === value) ??
  value.replace(/_center$/, '');

/** Direction picker with nine positions. */
export function Directions({ title, value, absent, onChange }: ControlProps) {
  const id = useId();
  const chosen = directionOf(value === '' ? (absent ?? '') : value);
  return (
    <fieldset className="control-directions" data-unset={value === '' || undefined}>
      <legend className="unseen">{title}</legend>
      {DIRECTIONS.map((direction) => (
        <label key={direction}>
          <input
            type="radio"
            name={id}
            aria-label={direction.replace('_', ' ')}
            checked={direction === chosen}
            onChange={() => onChange(direction === absent ? '' : direction)}
          />
        </label>
      ))}
    </fieldset>
  );
}
