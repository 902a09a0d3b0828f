import type { Size } from '../layout/geometry.ts';
import type { DrawnPixels, OpenDocument } from './open-document.ts';

export interface Finer {
  /** Largest factor by which it is drawn larger: a whole number. */
  times: number;
  /** Time for all drawings after the first one. */
  forMs: number;
}

/**
 * Draws as finely as there is time for. How long a page takes is known when it is drawn, so it is drawn plainly first.
 * At most it takes longer by as much as it has more pixels. Much of a simple page takes the same time at any size,
 * so from what is drawn finely it may turn out that there is time for more.
 */
export async function drawFinely(
  draw: OpenDocument['draw'],
  { width, height }: Size,
  { times: most, forMs }: Finer,
  now = () => performance.now(),
): Promise<{ pixels: DrawnPixels; times: number }> {
  let times = 1;
  let startedAt = now();
  let pixels = await draw({ width, height });
  let tookMs = now() - startedAt;
  let leftMs = forMs;
  for (;;) {
    const next = Math.min(most, Math.floor(times * Math.sqrt(leftMs / tookMs)));
    if (!(next > times)) return { pixels, times };
    times = next;
    startedAt = now();
    pixels = await draw({ width: width * times, height: height * times });
    tookMs = now() - startedAt;
    leftMs -= tookMs;
  }
}
