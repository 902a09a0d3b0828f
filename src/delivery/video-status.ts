import { notFound } from '../errors.ts';
import type { Job, JobStatus } from '../jobs/job.ts';
import type { Queue } from '../jobs/queue.ts';
import type { Variant, VariantStore } from '../storage/cache/variant-store.ts';
import type { OriginalStat, Originals } from '../storage/originals.ts';
import { PRODUCT_FORMATS } from '../video/product.ts';
import type { FindOriginal } from './find-original.ts';
import { type FindLayers, inputsWith, NO_LAYERS } from './pictures/layer-inputs.ts';
import { wantPicture } from './pictures/wanted-picture.ts';
import type { DeliveryRequest, ReadableRequest, Transformation } from './url.ts';
import { type Transcodes, wantTranscode } from './video.ts';

/** The state of a variant. */
export interface VariantStatus {
  status: JobStatus | 'not_found';
  /** The job that makes or has made it; undefined when none is known, for example when it was made long ago. */
  job: Job | undefined;
}

export interface VideoStatusOptions {
  originals: Originals;
  variants: VariantStore;
  queue: Queue;
  transcodes: Transcodes;
  findOriginal: FindOriginal;
  findLayers: FindLayers;
}

/** How many finished jobs of a file are searched for one whose variant is still in the cache. */
const MAX_COMPLETED = 100;

/** Tells how far the variant of a request is. It queues nothing. */
export class VideoStatus {
  readonly #options: VideoStatusOptions;

  constructor(options: VideoStatusOptions) {
    this.#options = options;
  }

  /** @throws HttpProblem 404 without the file */
  async status(asked: DeliveryRequest, accept: string | undefined): Promise<VariantStatus> {
    const { request, stat } = await this.#find(asked);
    const { path, transformation } = request;
    if (!transformation) return this.#statusOfNewest(request, stat);
    const isTranscode = transformation.kind === 'transcode';
    const key = isTranscode ? wantTranscode(path, stat.etag, transformation.options, accept).key : undefined;
    // The job is looked up first, because it is completed after its variant is in the cache.
    const job = key === undefined ? undefined : await this.#options.queue.jobs.newestOfVariant(key);
    if (await this.#findVariant(request, transformation, stat, accept)) {
      return { status: 'completed', job: job?.status === 'completed' ? job : undefined };
    }
    // When the variant of a completed job has gone, the next request makes it again. So that job does not count.
    return job && job.status !== 'completed' ? { status: job.status, job } : { status: 'not_found', job: undefined };
  }

  /** Bytes. @throws HttpProblem 404 without the file, and when the variant is not there yet */
  async size(asked: DeliveryRequest, accept: string | undefined): Promise<number> {
    const { request, stat } = await this.#find(asked);
    const { path, transformation } = request;
    const variant = transformation
      ? await this.#findVariant(request, transformation, stat, accept)
      : await this.#findNewest(request, stat);
    if (!variant) throw notFound(`The optimized version of "${path}" is not there yet.`, 'not_processed');
    return variant.size;
  }

  #find(asked: DeliveryRequest) {
    return this.#options.findOriginal(asked, ({ path }) => this.#options.originals.check(path));
  }

  /** The variant of a transformation, if it is in the cache. */
  async #findVariant(
    { path }: ReadableRequest,
    transformation: Transformation,
    { etag, focal }: OriginalStat,
    accept: string | undefined,
  ): Promise<Variant | undefined> {
    const { variants, transcodes, findLayers } = this.#options;
    if (transformation.kind === 'impossible') return undefined;
    if (transformation.kind === 'transcode')
      return transcodes.find(wantTranscode(path, etag, transformation.options, accept));
    const { layers: named } = transformation.options;
    const layers = named ? await findLayers(named, path) : NO_LAYERS;
    const inputs = inputsWith({ path, version: etag }, layers);
    const { key, files } = wantPicture(inputs, transformation, accept, { focal, fonts: layers.fonts });
    return variants.get(path, key, files);
  }

  /** The newest variant of a file that a job has made and that is in the cache. */
  async #findNewest({ path }: ReadableRequest, { etag }: OriginalStat): Promise<Variant | undefined> {
    const { queue, variants } = this.#options;
    const { jobs } = await queue.jobs.list({ path, status: 'completed', limit: MAX_COMPLETED, offset: 0 });
    for (const { version, variantKey } of jobs) {
      if (version !== etag) continue;
      const variant = await variants.get(path, variantKey, PRODUCT_FORMATS);
      if (variant) return variant;
    }
    return undefined;
  }

  /** The state of a bare path: that of its newest job, if that is about the present version of the file. */
  async #statusOfNewest({ path }: ReadableRequest, { etag }: OriginalStat): Promise<VariantStatus> {
    const job = await this.#options.queue.jobs.newestOfPath(path);
    return job?.version === etag ? { status: job.status, job } : { status: 'not_found', job: undefined };
  }
}
