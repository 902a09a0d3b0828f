import { useState } from 'react';
import { messages } from '../../messages/en.ts';
import { NumberControl } from './number.tsx';
import type { ControlProps } from './shape.ts';

/** End of the slider; larger values can be typed. */
const MOST = 400;

/** Radius of all corners, or of each one. */
export function Corners(props: ControlProps) {
  const { title, value, onChange } = props;
  const [isEach, setEach] = useState(value.includes(':'));
  const isShownEach = isEach || value.includes(':');
  const isRound = value === 'max';
  return (
    <div className="control-corners">
      {isShownEach ? (
        <EachCorner title={title} value={value} onChange={onChange} />
      ) : (
        <NumberControl
          {...props}
          shape={{ kind: 'integer', min: 0, unit: 'pixels' }}
          value={isRound ? '' : value}
          most={MOST}
        />
      )}
      <button type="button" className="chip" aria-pressed={isRound} onClick={() => onChange(isRound ? '' : 'max')}>
        {messages.playground.round}
      </button>
      <button
        type="button"
        className="chip"
        aria-pressed={isShownEach}
        onClick={() => {
          setEach(!isShownEach);
          if (isShownEach) onChange(cornersOf(value)[0]);
        }}
      >
        {messages.playground.eachCorner}
      </button>
    </div>
  );
}

function EachCorner({ title, value, onChange }: Pick<ControlProps, 'title' | 'value' | 'onChange'>) {
  const radii = cornersOf(value);
  return (
    <div className="control-each">
      {messages.playground.corners.map((corner, index) => (
        <input
          key={corner}
          className="input"
          type="number"
          min={0}
          aria-label={`${title}, ${corner}`}
          value={radii[index]}
          onChange={({ target }) => onChange(radii.toSpliced(index, 1, target.value || '0').join(':'))}
        />
      ))}
    </div>
  );
}

/** Clockwise from the top left. Missing values repeat opposite ones, as in CSS. */
function cornersOf(value: string): [string, string, string, string] {
  const [a = '0', b = a, c = a, d = b] = value === '' || value === 'max' ? ['0'] : value.split(':');
  return [a, b, c, d];
}
