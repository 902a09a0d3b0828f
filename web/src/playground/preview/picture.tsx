import { useState } from 'react';
import { words } from '../../words/en.ts';
import type { Zoom } from './stage.tsx';

interface PictureProps {
  url: string;
  size: { width: number; height: number };
  /** The side to compare with, in the same geometry. */
  other: string | undefined;
  zoom: Zoom;
  /** Another one is being rendered. */
  isOld: boolean;
}

/** A result on a checkerboard, alone or beside the same without loss: the divider is a slider, by mouse, finger and keyboard. */
export function Picture({ url, size: { width, height }, other, zoom, isOld }: PictureProps) {
  const [divider, setDivider] = useState(50);
  // At 1:1 a pixel of the picture is one of the screen.
  const full = width / (globalThis.devicePixelRatio || 1);
  const shown = zoom === 'full' ? `${full}px` : `min(100%, ${width}px, ${(width / height) * 62}dvh)`;
  return (
    <div className={`picture${isOld ? ' is-old' : ''}`} style={{ width: shown, aspectRatio: `${width} / ${height}` }}>
      <img src={url} alt={words.playground.result} />
      {other && (
        <>
          <img src={other} alt={words.playground.before} style={{ clipPath: `inset(0 ${100 - divider}% 0 0)` }} />
          <span className="picture-side">{words.playground.before}</span>
          <span className="picture-side is-after">{words.playground.after}</span>
          <input
            className="picture-divider"
            type="range"
            min={0}
            max={100}
            step={0.5}
            aria-label={words.playground.divider}
            value={divider}
            onChange={({ target }) => setDivider(Number(target.value))}
          />
          <span className="picture-line" style={{ insetInlineStart: `${divider}%` }} aria-hidden="true" />
        </>
      )}
    </div>
  );
}
