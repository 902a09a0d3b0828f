import { type ReactNode, useState } from 'react';
import './comparison.css';

interface Side {
  url: string;
  alt: string;
  /** Caption of the side during a comparison. */
  label: string;
}

interface ComparisonProps {
  after: Side;
  /** Without it only `after` is shown. */
  before: Side | undefined;
  /** Accessible name of the divider. */
  divider: string;
  /** CSS length. */
  width: string;
  /** Width and height of both images, in any unit. */
  ratio: readonly [width: number, height: number];
  /** True while a newer image loads. */
  isOld?: boolean;
  /** Controls over the image. */
  children?: ReactNode;
}

/** Compares two images in the same geometry. The divider is a slider for mouse, touch and keyboard. */
export function Comparison({ after, before, divider, width, ratio, isOld, children }: ComparisonProps) {
  const [at, setAt] = useState(50);
  // Both are clipped at the divider: one would show through transparent parts of the other.
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
      {children}
    </div>
  );
}
