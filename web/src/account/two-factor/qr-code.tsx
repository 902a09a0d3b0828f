import encodeQR from 'qr';
import { useMemo } from 'react';

/** Modules of light margin around the code, without which readers may not find it. */
const BORDER = 4;
/** Pixels of a module: a whole number keeps all equally large. */
const MODULE = 4;

/** QR code, drawn in the browser: the text is sent nowhere. Black on white in both themes, as readers expect. */
export function QrCode({ text, label }: { text: string; label: string }) {
  const { size, path } = useMemo(() => draw(text), [text]);
  return (
    <svg
      className="qr"
      width={size * MODULE}
      viewBox={`0 0 ${size} ${size}`}
      role="img"
      aria-label={label}
      shapeRendering="crispEdges"
    >
      <path d={path} />
    </svg>
  );
}

function draw(text: string): { size: number; path: string } {
  const rows = encodeQR(text, 'raw', { ecc: 'medium', border: BORDER });
  const runs = rows.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : [])));
  return { size: rows.length, path: runs.join('') };
}
