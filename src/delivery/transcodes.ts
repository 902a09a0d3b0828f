import { type Client, TRUSTED } from '../client.ts';
import { type HttpProblem, unavailable, unprocessable } from '../errors.ts';
import { type Job, PRIORITY } from '../jobs/job.ts';
import type { EnqueuedJob, JobQueue } from '../jobs/queue.ts';
import { encodePath, type StoragePath } from '../path.ts';
import { type VariantInput, variantKey } from '../storage/cache/variant-key.ts';
import type { Variant, VariantStore } from '../storage/cache/variant-store.ts';
import { negotiated, type Product, productOf, sourceKindOf } from '../video/product.ts';
import type { VideoOptions } from '../video/steps/index.ts';
import { inputsWith, type LayerInputs, NO_LAYERS } from './inputs.ts';
import { canonicalVideo, type LayeredVideo } from './layers.ts';
import { encodeSegment } from './url.ts';

/** A transcode that may be in the cache, with everything needed to queue it. */
export interface RequestedTranscode {
  path: StoragePath;
  version: string;
  /** Canonical text; empty for a transcode with every default. */
  transformation: string;
  format: Product['format'];
  key: string;
  /** True if the `Accept` header influenced the format. */
  isNegotiated: boolean;
}

/** Current versions of the files of a transcode. */
export interface TranscodeInputs extends VariantInput {
  /** Undefined without layers. */
  layers?: LayerInputs | undefined;
}

/** Resolves the options of a request to a transcode and its variant key. */
export function requestedTranscode(
  { layers: files, ...original }: TranscodeInputs,
  requested: LayeredVideo,
  accept?: string | undefined,
): RequestedTranscode {
  const { path, version } = original;
  const { options, isNegotiated } = negotiated(requested, accept);
  const { layers } = requested;
  if (layers && !files) throw new TypeError('Expected the files of the layers, received none.');
  const { fonts, ...found } = (layers && files) || NO_LAYERS;
  const transformation = canonicalVideo(layers ? { ...options, layers } : options, sourceKindOf(path));
  const { format } = productOf(options);
  const inputs = inputsWith(original, { fonts, ...found });
  return {
    path,
    version,
    transformation,
    format,
    key: variantKey({ inputs, fonts, transformation, format }),
    isNegotiated,
  };
}

/** Returns one `Accept` header per format that negotiation can choose. */
export function acceptedFormats(options: VideoOptions): readonly (string | undefined)[] {
  return negotiated(options, undefined).isNegotiated ? ['image/webp', undefined] : [undefined];
}

/** Requester of a transcode. */
export interface TranscodeRequester {
  priority: keyof typeof PRIORITY;
  /** Client that a new job is charged to. */
  client: Client;
}

interface TranscodesOptions {
  variants: VariantStore;
  queue: Pick<JobQueue, 'enqueueAll'>;
  /** True if this node or another one can transcode. */
  canTranscode: boolean;
  /** Returns the name of a network in the database. */
  nameClient(network: string): string;
}

/** Retry delay during transient failures. A full disk, for example, persists. */
const RETRY_FAILURE_SECONDS = 30;

/** A variant, the job that makes it, or the reason for which there is neither. */
export type FoundTranscode = { variant: Variant } | { job: Job } | { problem: HttpProblem };

export type Transcodes = ReturnType<typeof createTranscodes>;

export function createTranscodes(options: TranscodesOptions) {
  const { variants, queue, canTranscode, nameClient } = options;
  const find = ({ path, key, format }: RequestedTranscode) => variants.get(path, key, [format]);

  /** Finds the variants, and queues jobs for missing ones, all together. @throws HttpProblem 503 when none can run */
  async function variantsOrJobs(
    requested: readonly RequestedTranscode[],
    { priority, client }: TranscodeRequester,
  ): Promise<FoundTranscode[]> {
    const ready = await Promise.all(requested.map(find));
    const missing = requested.filter((_, n) => ready[n] === undefined);
    if (missing.length === 0) return ready.map((variant) => ({ variant: variant as Variant }));
    if (!canTranscode) {
      const message = 'Videos cannot be transcoded: ffmpeg is not installed on the server.';
      throw unavailable(message, 'ffmpeg_missing', 3600);
    }
    const enqueued = await queue.enqueueAll(
      missing.map(({ path, version, transformation, key }) => ({
        path,
        version,
        transformation,
        variantKey: key,
        priority: PRIORITY[priority],
        client: client === TRUSTED ? TRUSTED : nameClient(client),
      })),
    );
    const rest = enqueued.values();
    const found: FoundTranscode[] = [];
    for (const [n, one] of requested.entries()) {
      const variant = ready[n];
      found.push(variant ? { variant } : await foundOf(one, rest.next().value as EnqueuedJob));
    }
    return found;
  }

  async function foundOf(requested: RequestedTranscode, enqueued: EnqueuedJob): Promise<FoundTranscode> {
    if ('problem' in enqueued) return enqueued;
    const { job } = enqueued;
    const problem = problemOf(job);
    if (problem) return { problem };
    // The job may have completed after the first cache lookup.
    const variant = job.status === 'completed' ? await find(requested) : undefined;
    return variant ? { variant } : { job };
  }

  return {
    find,
    variantsOrJobs,
    /**
     * Returns the variant, or the job that makes it, and queues a job if there is none.
     * @throws HttpProblem 422 when the job has ended without a result, 429 and 503 when too many wait, 503 when videos
     * cannot be transcoded here or now
     */
    async variantOrJob(
      requested: RequestedTranscode,
      requester: TranscodeRequester,
    ): Promise<{ variant: Variant } | { job: Job }> {
      const [found] = (await variantsOrJobs([requested], requester)) as [FoundTranscode];
      if ('problem' in found) throw found.problem;
      return found;
    },
  };
}

/** Returns the problem of a job that has not made its variant and will not make it soon. */
function problemOf({ status, error, trouble }: Job): HttpProblem | undefined {
  if (trouble !== undefined) return unavailable(trouble, 'unavailable', RETRY_FAILURE_SECONDS);
  if (status === 'error') return unprocessable(error ?? 'The video could not be transcoded.', 'transcode_failed');
  return status === 'cancelled' ? unprocessable('The transcode was cancelled.', 'transcode_cancelled') : undefined;
}

/**
 * Returns the URL that delivers the result of a transcode.
 * @param transformation canonical text; empty if every parameter has its default
 */
export function resultUrl(transformation: string, path: StoragePath): string {
  return `/t/${encodeSegment(transformation || 'q_auto')}/${encodePath(path)}`;
}

/** Returns the URL of the state of a transcode. */
export function statusUrl(segment: string, path: StoragePath): string {
  return `/video-status/${encodeURIComponent(segment)}/${encodePath(path)}`;
}
