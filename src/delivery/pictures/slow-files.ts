import { boundedCache } from '../../bounded-cache.ts';
import { HttpProblem, unprocessable } from '../../errors.ts';
import type { ImageFailure } from '../../image/failure.ts';
import { layerInput } from '../../image/layers/layer.ts';
import { TaskFatal } from '../../render/tasks.ts';
import type { VariantInput } from '../../storage/cache/variant-key.ts';
import type { WantedPicture } from './wanted-picture.ts';

const MAX_KNOWN = 10_000;
/** A machine that was busy may do it later. */
const KNOWN_MS = 600_000;
/** Failures after which all of a file is slow. One may have been the machine's. */
const ENOUGH = 2;

type Wanted = Pick<WantedPicture, 'inputs' | 'options'>;

interface EndlessDocument {
  reason: string;
  /** Those whose drawing was given up. */
  pages: ReadonlySet<number>;
}

/**
 * Remembers versions of files that fail slowly, for ten minutes: another URL of them would hold a worker as long. A document is refused
 * after two pages that have no end, and each of these at once. Any other file that has ended two workers is rendered as heavy work: a
 * client can have an image time out by what it requests, so it is not refused to others.
 */
export class SlowFiles {
  readonly #documents = boundedCache<string, EndlessDocument>(MAX_KNOWN, KNOWN_MS);
  /** How many workers each has ended. */
  readonly #fatal = boundedCache<string, number>(MAX_KNOWN, KNOWN_MS);

  /** @throws HttpProblem 422 where the original or a layer is a document that takes too long */
  check({ inputs: { original, ...others }, options: { page = 1 } }: Wanted): void {
    this.#checkDocument(original, page);
    for (const layer of Object.values(others)) this.#checkDocument(layer, 1);
  }

  #checkDocument(file: VariantInput, page: number): void {
    const known = this.#documents.get(nameOf(file));
    if (known && (known.pages.has(page) || known.pages.size >= ENOUGH)) throw unprocessable(known.reason);
  }

  isHeavy({ inputs }: Wanted): boolean {
    return Object.values(inputs).some((file) => (this.#fatal.get(nameOf(file)) ?? 0) >= ENOUGH);
  }

  /** Called with the result of a render that has failed. */
  note({ inputs, options: { page = 1 } }: Wanted, failure: ImageFailure): void {
    if (failure.outcome === 'endless drawing') this.#noteDocument(inputs.original, page, failure.reason);
    if (failure.outcome !== 'layer undecodable' || failure.endless === undefined) return;
    const layer = inputs[layerInput(failure.endless)];
    if (layer) this.#noteDocument(layer, 1, failure.reason);
  }

  #noteDocument(file: VariantInput, page: number, reason: string): void {
    const pages = new Set(this.#documents.get(nameOf(file))?.pages).add(page);
    this.#documents.set(nameOf(file), { reason, pages });
  }

  /** Called with what a render has thrown. Which of its files is to blame is not known. */
  noteError({ inputs }: Wanted, error: unknown): void {
    if (!(error instanceof HttpProblem) || !(error.cause instanceof TaskFatal)) return;
    for (const file of Object.values(inputs)) {
      const name = nameOf(file);
      this.#fatal.set(name, (this.#fatal.get(name) ?? 0) + 1);
    }
  }
}

function nameOf({ path, version }: VariantInput): string {
  return JSON.stringify([path, version]);
}
