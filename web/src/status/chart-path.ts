export interface Point {
  /** ISO 8601. */
  at: string;
  /** Null if unknown. */
  value: number | null;
}

/**
 * SVG paths of a line chart and its area, from 0 to the top. Unknown values leave gaps.
 * @param width of the drawing, in the unit of `height`
 * @param top of the scale, by default the largest value
 */
export function areasOf(
  points: readonly Point[],
  width: number,
  height: number,
  top = Math.max(1e-9, ...points.map(({ value }) => value ?? 0)),
): { line: string; area: string } {
  const step = width / Math.max(1, points.length - 1);
  const pieces: string[][] = [];
  let piece: string[] | undefined;
  for (const [index, { value }] of points.entries()) {
    if (value === null) {
      piece = undefined;
      continue;
    }
    if (piece === undefined) {
      piece = [];
      pieces.push(piece);
    }
    piece.push(`${round(index * step)} ${round(height - 1 - (value / top) * (height - 2))}`);
  }
  const line = pieces.map((piece) => `M${piece.join('L')}${piece.length === 1 ? 'h1' : ''}`);
  const area = pieces.map((piece) => {
    const [first = '0'] = piece[0]?.split(' ') ?? [];
    const [last = '0'] = piece.at(-1)?.split(' ') ?? [];
    return `M${first} ${height}L${piece.join('L')}L${last} ${height}Z`;
  });
  return { line: line.join(''), area: area.join('') };
}

const round = (value: number) => Math.round(value * 10) / 10;
