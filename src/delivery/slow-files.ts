import { boundedCache } from '../bounded-cache.ts';
import { HttpProblem, unprocessable } from '../errors.ts';
import type { ImageFailure } from '../image/failure.ts';
import { layerInput } from '../image/layers/layer.ts';
import { TaskFatal } from '../render/tasks.ts';
import type { VariantInput } from '../storage/cache/variant-key.ts';
import type { RequestedImage } from './requested-image.ts';

const MAX_KNOWN = 10_000;
/** A busy host may succeed later. */
const KNOWN_MS = 600_000;
/** Failures after which the entire file counts as slow. The host may have caused one. */
const ENOUGH = 2;

type Requested = Pick<RequestedImage, 'inputs' | 'options'>;

interface EndlessDocument {
  reason: string;
  /** Pages whose drawing was abandoned. */
  pages: ReadonlySet<number>;
}

/**
 * Megapixels up to which a failed drawing blocks every request. Clients choose the size, so a failure at a larger size
 * only blocks large requests: a logo on every page may take too long at 8,000 pixels.
 */
const LARGE_MEGAPIXELS = 4;
/** Requests with a longer side than this count as large. */
const LARGE_SIDE = 2000;

/**
 * Remembers versions of files that fail slowly for ten minutes: another URL of them would block a worker as long. A
 * document is rejected after two endless pages, and each such page immediately. Other files that killed two workers are
 * rendered as heavy work: a client can cause timeouts by its request, so others are not rejected.
 */
export class SlowFiles {
  readonly #documents = boundedCache<string, EndlessDocument>(MAX_KNOWN, KNOWN_MS);
  /** Documents that are endless at a large size. */
  readonly #large = boundedCache<string, EndlessDocument>(MAX_KNOWN, KNOWN_MS);
  /** Workers killed, by file. */
  readonly #fatal = boundedCache<string, number>(MAX_KNOWN, KNOWN_MS);
  /** Several renders may have waited for one worker that died. */
  readonly #counted = new WeakSet<Error>();

  /** @throws HttpProblem 422 if the original or a layer is a document that takes too long */
  check({ inputs: { original, ...others }, options }: Requested): void {
    const { page = 1, width = 0, height = 0 } = options;
    requireEnd(this.#documents, original, page);
    for (const layer of Object.values(others)) requireEnd(this.#documents, layer, 1);
    if (Math.max(width, height) > LARGE_SIDE) requireEnd(this.#large, original, page);
  }

  isHeavy({ inputs }: Requested): boolean {
    return Object.values(inputs).some((file) => (this.#fatal.get(nameOf(file)) ?? 0) >= ENOUGH);
  }

  /** Records the result of a failed render. */
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

  /** Records an error of a render. Any of its files may be at fault. */
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
