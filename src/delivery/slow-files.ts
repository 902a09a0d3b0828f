import { boundedCache } from '../bounded-cache.ts';
import { HttpProblem, unprocessable } from '../errors.ts';
import type { ImageFailure } from '../image/failure.ts';
import { layerInput } from '../image/layers/layer.ts';
import { TaskFatal } from '../render/tasks.ts';
import type { VariantInput } from '../storage/cache/variant-key.ts';
import type { RequestedImage } from './requested-image.ts';

const MAX_KNOWN = 10_000;
/** A machine that was busy may do it later. */
const KNOWN_MS = 600_000;
/** Failures after which all of a file is slow. One may have been the machine's. */
const ENOUGH = 2;

type Requested = Pick<RequestedImage, 'inputs' | 'options'>;

interface EndlessDocument {
  reason: string;
  /** Those whose drawing was given up. */
  pages: ReadonlySet<number>;
}

/**
 * Megapixels up to which a drawing that fails is held against every request. A client chooses the size of a drawing, so that one which
 * fails at a larger size only keeps large requests from it: a logo on every page may take too long at 8,000 pixels.
 */
const LARGE_MEGAPIXELS = 4;
/** A request for a longer side than this may draw so much. */
const LARGE_SIDE = 2000;

/**
 * Remembers versions of files that fail slowly, for ten minutes: another URL of them would hold a worker as long. A document is refused
 * after two pages that have no end, and each of these immediately. Any other file that has ended two workers is rendered as heavy work:
 * a client can have an image time out by what it requests, so it is not refused to others.
 */
export class SlowFiles {
  readonly #documents = boundedCache<string, EndlessDocument>(MAX_KNOWN, KNOWN_MS);
  /** Documents that have no end at a large size. */
  readonly #large = boundedCache<string, EndlessDocument>(MAX_KNOWN, KNOWN_MS);
  /** How many workers each has ended. */
  readonly #fatal = boundedCache<string, number>(MAX_KNOWN, KNOWN_MS);
  /** Several renders may have waited for one worker that ended. */
  readonly #counted = new WeakSet<Error>();

  /** @throws HttpProblem 422 where the original or a layer is a document that takes too long */
  check({ inputs: { original, ...others }, options }: Requested): void {
    const { page = 1, width = 0, height = 0 } = options;
    requireEnd(this.#documents, original, page);
    for (const layer of Object.values(others)) requireEnd(this.#documents, layer, 1);
    if (Math.max(width, height) > LARGE_SIDE) requireEnd(this.#large, original, page);
  }

  isHeavy({ inputs }: Requested): boolean {
    return Object.values(inputs).some((file) => (this.#fatal.get(nameOf(file)) ?? 0) >= ENOUGH);
  }

  /** Called with the result of a render that has failed. */
  note({ inputs, options: { page = 1 } }: Requested, failure: ImageFailure): void {
    if (failure.outcome !== 'endless drawing' && failure.outcome !== 'layer undecodable') return;
    const isLarge = (failure.megapixels ?? 0) > LARGE_MEGAPIXELS;
    const documents = isLarge ? this.#large : this.#documents;
    if (failure.outcome === 'endless drawing') noteDocument(documents, inputs.original, page, failure.reason);
    else if (failure.endless !== undefined) {
      const layer = inputs[layerInput(failure.endless)];
      if (layer) noteDocument(documents, layer, 1, failure.reason);
    }
  }

  /** Called with what a render has thrown. Which of its files is to blame is not known. */
  noteError({ inputs }: Requested, error: unknown): void {
    if (!(error instanceof HttpProblem) || !(error.cause instanceof TaskFatal)) return;
    if (this.#counted.has(error.cause)) return;
    this.#counted.add(error.cause);
    for (const file of Object.values(inputs)) {
      const name = nameOf(file);
      this.#fatal.set(name, (this.#fatal.get(name) ?? 0) + 1);
    }
  }
}

type EndlessDocuments = ReturnType<typeof boundedCache<string, EndlessDocument>>;

function requireEnd(documents: EndlessDocuments, file: VariantInput, page: number): void {
  const known = documents.get(nameOf(file));
  if (known && (known.pages.has(page) || known.pages.size >= ENOUGH)) throw unprocessable(known.reason);
}

function noteDocument(documents: EndlessDocuments, file: VariantInput, page: number, reason: string): void {
  const pages = new Set(documents.get(nameOf(file))?.pages).add(page);
  documents.set(nameOf(file), { reason, pages });
}

function nameOf({ path, version }: VariantInput): string {
  return JSON.stringify([path, version]);
}
