import { boundedCache } from '../../bounded-cache.ts';
import { unprocessable } from '../../errors.ts';
import type { ImageFailure } from '../../image/failure.ts';
import type { WantedPicture } from './wanted-picture.ts';

const MAX_KNOWN = 10_000;
/** A machine that was busy may draw it later. */
const KNOWN_MS = 600_000;

type Drawn = Pick<WantedPicture, 'inputs' | 'options'>;

/** Pages of documents whose drawing was given up. Each other size of them would take a worker as long. */
export class EndlessDrawings {
  readonly #known = boundedCache<string, string>(MAX_KNOWN, KNOWN_MS);

  /** @throws HttpProblem 422 for one that was given up not long ago */
  check(wanted: Drawn): void {
    const reason = this.#known.get(nameOf(wanted));
    if (reason !== undefined) throw unprocessable(reason);
  }

  note(wanted: Drawn, { outcome, reason }: ImageFailure): void {
    if (outcome === 'endless drawing') this.#known.set(nameOf(wanted), reason);
  }
}

function nameOf({ inputs: { original }, options: { page = 1 } }: Drawn): string {
  return JSON.stringify([original.path, original.version, page]);
}
