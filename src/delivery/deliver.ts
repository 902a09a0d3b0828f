import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { SingleFlight } from '../concurrency.ts';
import { badRequest, notFound, unavailable } from '../errors.ts';
import type { RenderLimits } from '../image/pipeline.ts';
import { type ImageOptions, imageSteps } from '../image/steps/index.ts';
import type { MediaType } from '../media.ts';
import { encodePath, type StoragePath } from '../path.ts';
import type { RenderPool } from '../render/pool.ts';
import type { BlobStat } from '../storage/blob-store.ts';
import type { Originals } from '../storage/originals.ts';
import { variantKey } from '../storage/variant-key.ts';
import type { Variant, VariantStore } from '../storage/variants.ts';
import { negotiateFormat } from '../transformation/negotiate.ts';
import { formatOptions } from '../transformation/transformation.ts';
import type { DeliveryRequest } from './url.ts';

export type Delivery =
  | {
      kind: 'original';
      path: StoragePath;
      type: MediaType;
      stat: BlobStat;
      /** True when a transformation was asked for that the file's bytes do not allow. */
      isFallback: boolean;
    }
  | {
      kind: 'variant';
      path: StoragePath;
      variant: Variant;
      stat: BlobStat;
      /** True when the variant was in the cache. */
      isHit: boolean;
      /** True when the request's `Accept` header had a say in the format. */
      isNegotiated: boolean;
    }
  | {
      /** The client has this variant already, and nobody needs to render it. */
      kind: 'unchanged';
      key: string;
      stat: BlobStat;
      isNegotiated: boolean;
    };

export interface Delivering {
  originals: Originals;
  variants: VariantStore;
  pool: RenderPool;
  limits: RenderLimits;
  /** A folder for results on their way into the cache, on its file system. */
  temp: string;
}

/** Who asks. The signal is only made when something has to be waited for. */
export interface Visitor {
  accept: string | undefined;
  signal(): AbortSignal | undefined;
  /** Whether the client holds the variant with this key, made from an original of this date. */
  holds(key: string, modifiedAt: Date): boolean;
}

export type Deliver = (request: DeliveryRequest, visitor: Visitor) => Promise<Delivery>;

type Rendered = Variant | 'undecodable' | 'replaced';

/** A picture may be replaced while it is rendered; after so many replacements the client is asked to come back. */
const MAX_RENDERS = 3;

/**
 * Makes the function at the heart of the service: from a request to the original or to a variant, rendered at most once
 * however many ask.
 * @throws HttpProblem 404, 400 for a transformation that is impossible, 503 when rendering is overloaded or fails
 */
export function createDeliver(delivering: Delivering): Deliver {
  const flights = new SingleFlight<Rendered>();
  const { originals, variants } = delivering;

  async function deliverVariant(
    { path, type, options }: Extract<DeliveryRequest, { transformation: 'image' }>,
    stat: BlobStat,
    visitor: Visitor,
  ): Promise<Delivery | 'replaced'> {
    const wanted = wantedVariant(path, options, stat, visitor.accept);
    const { key, isNegotiated } = wanted;
    const cached = variants.peek(key) ?? (await variants.get(path, key, wanted.files));
    if (cached) return { kind: 'variant', path, variant: cached, stat, isHit: true, isNegotiated };
    if (visitor.holds(key, stat.modifiedAt)) return { kind: 'unchanged', key, stat, isNegotiated };
    const rendered = await flights.run(key, visitor.signal(), (signal) => render(delivering, wanted, signal));
    if (rendered === 'replaced') return rendered;
    if (rendered === 'undecodable') return { kind: 'original', path, type, stat, isFallback: true };
    return { kind: 'variant', path, variant: rendered, stat, isHit: false, isNegotiated };
  }

  return async function deliver(request, visitor) {
    const { path, type } = request;
    for (let attempt = 1; attempt <= MAX_RENDERS; attempt++) {
      // The bytes of an original come from the disk as they are now, so its size and version have to as well.
      const known = request.transformation === 'none' ? 'unknown' : originals.peek(path);
      const stat = known === 'unknown' ? await originals.check(path) : known;
      if (!stat) throw notFound(`There is no file "${path}".`, 'File not found');
      if (request.transformation === 'none') return { kind: 'original', path, type, stat, isFallback: false };
      if (request.transformation === 'impossible') throw untransformable(path, type);
      const delivery = await deliverVariant(request, stat, visitor);
      if (delivery !== 'replaced') return delivery;
    }
    throw unavailable(`"${path}" is being replaced again and again.`, 1);
  };
}

interface WantedVariant {
  path: StoragePath;
  options: ImageOptions;
  format: Exclude<NonNullable<ImageOptions['format']>, 'auto'> | 'fallback';
  key: string;
  /** The formats that its file may have. */
  files: readonly string[];
  version: string;
  isNegotiated: boolean;
}

function wantedVariant(
  path: StoragePath,
  all: ImageOptions,
  stat: BlobStat,
  accept: string | undefined,
): WantedVariant {
  const { format: explicit = 'auto', ...options } = all;
  const isNegotiated = explicit === 'auto';
  const format = isNegotiated ? negotiateFormat(accept) : explicit;
  const transformation = formatOptions(options, imageSteps);
  const key = variantKey({ original: path, version: stat.etag, transformation, format });
  const files = format === 'fallback' ? ['jpeg', 'png'] : [format];
  return { path, options, format, key, files, version: stat.etag, isNegotiated };
}

/** Renders into the cache. `replaced` when the original changed meanwhile: the key names a version, and only its bytes may go under it. */
async function render(delivering: Delivering, wanted: WantedVariant, signal: AbortSignal): Promise<Rendered> {
  const { originals, variants, pool, limits, temp } = delivering;
  const { path, options, format, key, version } = wanted;
  const output = join(temp, randomUUID());
  try {
    const result = await originals.store.withLocalFile(
      path,
      (input) => pool.run('render', { input, output, options, format, limits }, signal),
      signal,
    );
    if ((await originals.check(path))?.etag !== version) return 'replaced';
    if (result.outcome === 'undecodable') return 'undecodable';
    if (result.outcome === 'limit exceeded') throw badRequest(result.reason, 'Limit exceeded');
    return await variants.put(path, key, result.format, output);
  } finally {
    await rm(output, { force: true });
  }
}

function untransformable(path: StoragePath, type: MediaType) {
  return badRequest(
    `A ${type.kind} file cannot be transformed; the original is at /t/${encodePath(path)}.`,
    'File cannot be transformed',
  );
}
