import { LATE, within } from '../concurrency.ts';
import type { FocalPoint } from '../focal-point.ts';
import type { StoragePath } from '../path.ts';
import type { Wordings } from './catalog-words.ts';

/** Timeout for the focal point of an image, in ms. */
const TIMEOUT_MS = 500;
/** Pause of all reads after a failure, in ms. */
const PAUSE_MS = 5000;

/**
 * Reads stored focal points of originals for delivery, which works without the catalog: a timeout is an error, and all
 * reads fail for a while after it.
 * @param now milliseconds of a monotonic clock
 */
export function createFocalPoints(metadata: Pick<Wordings, 'focalPoint'>, now = () => performance.now()) {
  let pausedUntil = Number.NEGATIVE_INFINITY;
  return async (path: StoragePath): Promise<FocalPoint | undefined> => {
    if (now() < pausedUntil) throw new Error('The catalog has just failed.');
    try {
      const point = await within(metadata.focalPoint(path), TIMEOUT_MS);
      if (point === LATE) throw new Error('The catalog takes too long.');
      return point;
    } catch (error) {
      pausedUntil = now() + PAUSE_MS;
      throw error;
    }
  };
}
