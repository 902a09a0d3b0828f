import type { Wordings } from '../catalog/catalog-words.ts';
import { LATE, within } from '../concurrency.ts';
import type { FocalPoint } from '../focal-point.ts';
import type { StoragePath } from '../path.ts';

/** How long a picture may wait for its point, in milliseconds. */
const PATIENCE_MS = 500;
/** After a failure, for how long nobody asks. */
const REST_MS = 5000;

/**
 * Reads the stored points of originals for delivery, which goes on without the catalog: an answer that does not come
 * soon is an error, and so are all for a while after that.
 * @param now milliseconds of a clock that is never set back
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
