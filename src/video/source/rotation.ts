/** How a picture is turned and mirrored for display, as ffprobe writes it among the side data of a stream. */
export interface DisplayMatrix {
  /** Degrees. */
  rotation?: number;
  /** Three lines of three numbers, each behind a line number. */
  displaymatrix?: string;
}

/**
 * Reads by how many degrees a stored picture is turned for display: -180 to 180. ffprobe takes a mirror for half a turn, because it looks
 * at the first line alone; a picture that is mirrored, to whichever side, is not turned.
 */
export function rotationOf({ rotation = 0, displaymatrix = '' }: DisplayMatrix = {}): number {
  const degrees = Math.round(rotation);
  const [first = [], second = []] = [...displaymatrix.matchAll(/^\d+:(.*)$/gm)].map(([, line = '']) =>
    line.trim().split(/\s+/).map(Number),
  );
  const [a = 1, b = 0] = first;
  const [c = 0, d = 1] = second;
  const isMirrored = a * d - b * c < 0;
  // Zero has a sign in ffprobe's text.
  return isMirrored && Math.abs(degrees) === 180 ? 0 : degrees + 0;
}
