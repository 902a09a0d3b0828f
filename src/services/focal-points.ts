import type { Wordings } from '../catalog/catalog-words.ts';
import { LATE, within } from '../concurrency.ts';
import type { FocalPoint } from '../focal-point.ts';
import type { StoragePath } from '../path.ts';

/** Timeout for the focal point of an image, in ms. */
const PATIENCE_MS = 500;
/** Pause of all reads after a failure, in ms. */
const REST_MS = 5000;

/**
 * Reads stored focal points of originals for delivery, which works without the catalog: a timeout is an error, and all
 * reads fail for a while after it.
 * @param now milliseconds of a monotonic clock
 */
export function createFocalPoints(words: Pick<Wordings, 'focalPoint'>, now = () => performance.now()) {
  let restsUntil = Number.NEGATIVE_INFINITY;
  return async (path: StoragePath): Promise<FocalPoint | undefined> => {
    if (now() < restsUntil) throw new Error('The catalog has just failed.');
    try {
      const focal = await within(words.focalPoint(path), PATIENCE_MS);
      if (focal === LATE) throw new Error('The catalog takes too long.');
      return focal;
    } catch (error) {
      restsUntil = now() + REST_MS;
      throw error;
    }
  };
}
