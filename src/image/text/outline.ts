import type { Size } from '../layout/geometry.ts';

/** What of a disc covers a pixel, by its distance from the middle. */
interface Spot {
  dx: number;
  dy: number;
  share: number;
}

/**
 * Spreads coverage over a disc: each pixel gets the largest `coverage * share` of all pixels around it, where `share` falls from 1
 * at a distance of `radius` to 0 at `radius + 1`.
 * @param coverage one byte for each pixel
 * @returns the coverage of a picture that is larger by `radius` on each side
 */
export function spread(coverage: Uint8Array, { width, height }: Size, radius: number): Uint8Array {
  const stride = width + 2 * radius;
  const result = new Uint8Array(stride * (height + 2 * radius));
  const spots = discOf(radius);
  const shifts = Int32Array.from(spots, ({ dx, dy }) => dy * stride + dx);
  const shares = Float32Array.from(spots, ({ share }) => share);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const from = coverage[y * width + x] as number;
      const middle = (y + radius) * stride + x + radius;
      if (from === 0) continue;
      if (isInside(coverage, { width, height }, x, y)) {
        result[middle] = from;
        continue;
      }
      for (let n = 0; n < shifts.length; n++) {
        const at = middle + (shifts[n] as number);
        const value = Math.round(from * (shares[n] as number));
        if (value > (result[at] as number)) result[at] = value;
      }
    }
  }
  return result;
}

function discOf(radius: number): Spot[] {
  const spots: Spot[] = [];
  for (let dy = -radius; dy <= radius; dy++) {
    for (let dx = -radius; dx <= radius; dx++) {
      const share = Math.min(1, radius + 1 - Math.hypot(dx, dy));
      if (share > 0) spots.push({ dx, dy, share });
    }
  }
  return spots;
}

/** Whether a pixel and all around it are covered: then one of those reaches farther in every direction. */
function isInside(coverage: Uint8Array, { width, height }: Size, x: number, y: number): boolean {
  if (x === 0 || y === 0 || x === width - 1 || y === height - 1) return false;
  for (let row = y - 1; row <= y + 1; row++) {
    for (let at = row * width + x - 1; at <= row * width + x + 1; at++) if (coverage[at] !== 255) return false;
  }
  return true;
}
