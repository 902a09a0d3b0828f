import { type Client, TRUSTED } from '../client.ts';
import { unavailable, unprocessable } from '../errors.ts';
import { type Job, PRIORITY } from '../jobs/job.ts';
import type { Queue } from '../jobs/queue.ts';
import { encodePath, type StoragePath } from '../path.ts';
import { type VariantInput, variantKey } from '../storage/cache/variant-key.ts';
import type { Variant, VariantStore } from '../storage/cache/variant-store.ts';
import { negotiated, type Product, productOf, sourceKindOf } from '../video/product.ts';
import type { VideoOptions } from '../video/steps/index.ts';
import { inputsWith, type LayerInputs, NO_LAYERS } from './inputs.ts';
import { canonicalVideo, type LayeredVideo } from './layers.ts';
import { encodeSegment } from './url.ts';

/** A transcode that may be in the cache, and all that is needed to queue it if it is not. */
export interface RequestedTranscode {
  path: StoragePath;
  version: string;
  /** Canonical text; empty when it only says "transcode". */
  transformation: string;
  format: Product['format'];
  key: string;
  /** Whether the request's `Accept` header had a say in the format. */
  isNegotiated: boolean;
}

/** The present versions of the files that a transcode is made of. */
export interface TranscodeInputs extends VariantInput {
  /** Undefined where nothing lies over it. */
  layers?: LayerInputs | undefined;
}

/** Names the transcode that a request wants. */
export function requestedTranscode(
  { path, version, layers: files }: TranscodeInputs,
  requested: LayeredVideo,
  accept?: string | undefined,
): RequestedTranscode {
  const { options, isNegotiated } = negotiated(requested, accept);
  const { layers } = requested;
  if (layers && !files) throw new TypeError('Expected the files of the layers, received none.');
  const { fonts, ...found } = (layers && files) || NO_LAYERS;
  const transformation = canonicalVideo(layers ? { ...options, layers } : options, sourceKindOf(path));
  const { format } = productOf(options);
  const inputs = inputsWith({ path, version }, { fonts, ...found });
  return {
    path,
    version,
    transformation,
    format,
    key: variantKey({ inputs, fonts, transformation, format }),
    isNegotiated,
  };
}

/** One request for each format that negotiation can choose, by its `Accept` header. */
export function acceptedFormats(options: VideoOptions): readonly (string | undefined)[] {
  return negotiated(options, undefined).isNegotiated ? ['image/webp', undefined] : [undefined];
}

/** Who asks for a transcode. */
export interface TranscodeRequester {
  asks: keyof typeof PRIORITY;
  /** The client that a new job is charged to. */
  client: Client;
}

interface TranscodesOptions {
  variants: VariantStore;
  queue: Queue;
  /** Whether this node or another one can. */
  canTranscode: boolean;
  /** The name of a network in the database. */
  nameClient(network: string): string;
}

/** When to ask again while the server is in trouble. A full disk, for example, lasts. */
const RETRY_FAILURE_SECONDS = 30;

export type Transcodes = ReturnType<typeof createTranscodes>;

export function createTranscodes(options: TranscodesOptions) {
  const { variants, queue, canTranscode, nameClient } = options;
  const find = ({ path, key, format }: RequestedTranscode) => variants.get(path, key, [format]);

  return {
    find,
    /**
     * The variant, or the job that makes it. A job is queued when there is none.
     * @throws HttpProblem 422 when the job has ended without a result, 429 and 503 when too many wait, 503 when videos cannot be
     * transcoded here or now
     */
    async variantOrJob(requested: RequestedTranscode, { asks, client }: TranscodeRequester): Promise<{ variant: Variant } | { job: Job }> {
      const ready = await find(requested);
      if (ready) return { variant: ready };
      if (!canTranscode)
        throw unavailable(
          'Videos cannot be transcoded: ffmpeg is not installed on the server.',
          'ffmpeg_missing',
          3600,
        );
      const { path, version, transformation, key } = requested;
      const { job } = await queue.enqueue({
        ...{ path, version, transformation, variantKey: key, priority: PRIORITY[asks] },
        client: client === TRUSTED ? TRUSTED : nameClient(client),
      });
      if (job.trouble !== undefined) throw unavailable(job.trouble, 'unavailable', RETRY_FAILURE_SECONDS);
      if (job.status === 'error')
        throw unprocessable(job.error ?? 'The video could not be transcoded.', 'transcode_failed');
      if (job.status === 'cancelled') throw unprocessable('The transcode was cancelled.', 'transcode_cancelled');
      // The job may have ended after the first look into the cache.
      const variant = job.status === 'completed' ? await find(requested) : undefined;
      return variant ? { variant } : { job };
    },
  };
}

/**
 * The URL at which the result of a transcode is delivered.
 * @param transformation the canonical text; it is empty where all is as the absence of parameters means
 */
export function resultUrl(transformation: string, path: StoragePath): string {
  return `/t/${encodeSegment(transformation || 'q_auto')}/${encodePath(path)}`;
}

/** The URL of the state of a transcode: the delivery path with another beginning. */
export function statusUrl(segment: string, path: StoragePath): string {
  return `/video-status/${encodeURIComponent(segment)}/${encodePath(path)}`;
}
