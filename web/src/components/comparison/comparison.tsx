import { useState } from 'react';
import './comparison.css';

interface Side {
  url: string;
  alt: string;
  /** What stands on the side while both are shown. */
  label: string;
}

interface ComparisonProps {
  after: Side;
  /** Without it, the other one is shown alone. */
  before: Side | undefined;
  /** What the divider is called. */
  divider: string;
  /** As CSS. */
  width: string;
  /** Width and height of both, in any unit. */
  ratio: readonly [width: number, height: number];
  /** Another one is on its way. */
  isOld?: boolean;
}

/** Two pictures in the same geometry on a checkerboard: the divider is a slider, by mouse, finger and keyboard. */
export function Comparison({ after, before, divider, width, ratio, isOld }: ComparisonProps) {
  const [at, setAt] = useState(50);
  // Each is cut off at the divider: through a transparent one the other would show.
  const clip = (inset: string) => (before ? { clipPath: `inset(${inset})` } : {});
  return (
    <div className={`comparison${isOld ? ' is-old' : ''}`} style={{ width, aspectRatio: `${ratio[0]} / ${ratio[1]}` }}>
      <img src={after.url} alt={after.alt} style={clip(`0 0 0 ${at}%`)} />
      {before && (
        <>
          <img src={before.url} alt={before.alt} style={clip(`0 ${100 - at}% 0 0`)} />
          <span className="comparison-side">{before.label}</span>
          <span className="comparison-side is-after">{after.label}</span>
          <input
            className="comparison-divider"
            type="range"
            min={0}
            max={100}
            step={0.5}
            aria-label={divider}
            value={at}
            onChange={({ target }) => setAt(Number(target.value))}
          />
          <span className="comparison-line" style={{ insetInlineStart: `${at}%` }} aria-hidden="true" />
        </>
      )}
    </div>
  );
}
