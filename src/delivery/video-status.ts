import { notFound } from '../errors.ts';
import type { JobQueue } from '../jobs/queue.ts';
import type { StoragePath } from '../path.ts';
import type { Variant, VariantStore } from '../storage/cache/variant-store.ts';
import type { OriginalStat, Originals } from '../storage/originals.ts';
import { PRODUCT_FORMATS } from '../video/product.ts';
import type { AdmitFile } from './file-access.ts';
import type { FindOriginal } from './find-original.ts';
import { type FindInputs, inputsWith } from './inputs.ts';
import type { LayeredVideo } from './layers.ts';
import { requestedImage } from './requested-image.ts';
import { subjectOf } from './streaming/ladder.ts';
import type { Playlists } from './streaming/playlists.ts';
import { type RequestedTranscode, requestedTranscode, type TranscodeInputs, type Transcodes } from './transcodes.ts';
import type { DeliveryRequest, ReadableRequest, Transformation } from './url.ts';
import { statusOfLadder, type VariantStatus } from './variant-status.ts';

interface VideoStatusOptions {
  originals: Originals;
  variants: VariantStore;
  queue: Pick<JobQueue, 'jobs'>;
  transcodes: Transcodes;
  findOriginal: FindOriginal;
  findInputs: FindInputs;
  playlists: Playlists;
}

/** Most completed jobs of a file that are searched for one whose variant is still cached. */
const MAX_COMPLETED = 100;

/** Reports the state of the variant of a request. Queues nothing. */
export class VideoStatus {
  readonly #options: VideoStatusOptions;

  constructor(options: VideoStatusOptions) {
    this.#options = options;
  }

  /** @throws HttpProblem 404 without the file */
  async status(requested: DeliveryRequest, accept: string | undefined, admit?: AdmitFile): Promise<VariantStatus> {
    const { request, stat } = await this.#find(requested, admit);
    const { path, transformation } = request;
    if (!transformation) return this.#statusOfNewest(request, stat);
    if (transformation.kind === 'playlist' || transformation.kind === 'transcode') {
      const { kind, options } = transformation;
      const inputs = await this.#options.findInputs({ path, version: stat.etag }, options, admit);
      if (kind === 'playlist') return this.#statusOfPlaylist(inputs, options);
      return this.#statusOfTranscode(requestedTranscode(inputs, options, accept));
    }
    const variant = await this.#findVariant(request, transformation, stat, { accept, admit });
    return { status: variant ? 'completed' : 'not_found', job: undefined };
  }

  async #statusOfTranscode(requested: RequestedTranscode): Promise<VariantStatus> {
    const { queue, transcodes } = this.#options;
    // Read the job first, because it completes after its variant is in the cache.
    const job = await queue.jobs.newestOfVariant(requested.key);
    if (await transcodes.find(requested)) {
      return { status: 'completed', job: job?.status === 'completed' ? job : undefined };
    }
    // If the variant of a completed job was evicted, the next request regenerates it. So that job does not count.
    return job && job.status !== 'completed' ? { status: job.status, job } : { status: 'not_found', job: undefined };
  }

  /** Returns the state of a playlist; that of one file has the state of the file. */
  async #statusOfPlaylist(inputs: TranscodeInputs, options: LayeredVideo): Promise<VariantStatus> {
    const subject = subjectOf(options);
    if (subject) return this.#statusOfTranscode(requestedTranscode(inputs, subject));
    const renditions = await this.#options.playlists.renditionsOf(inputs, options);
    const states = renditions.map(async (rendition) => ({
      rendition,
      ...(await this.#statusOfTranscode(requestedTranscode(inputs, rendition.options))),
    }));
    return statusOfLadder(await Promise.all(states));
  }

  /** Returns the size in bytes. @throws HttpProblem 404 without the file, and while the variant does not exist */
  async size(requested: DeliveryRequest, accept: string | undefined, admit?: AdmitFile): Promise<number> {
    const { request, stat } = await this.#find(requested, admit);
    const { path, transformation } = request;
    if (transformation?.kind === 'playlist') {
      const { options } = transformation;
      const inputs = await this.#options.findInputs({ path, version: stat.etag }, options, admit);
      return this.#sizeOfStream(inputs, options);
    }
    const variant = transformation
      ? await this.#findVariant(request, transformation, stat, { accept, admit })
      : await this.#findNewest(request, stat);
    if (!variant) throw notProcessed(path);
    return variant.size;
  }

  /** Sums the sizes of all renditions once the stream is complete. */
  async #sizeOfStream(inputs: TranscodeInputs, options: LayeredVideo): Promise<number> {
    const { playlists, transcodes } = this.#options;
    const { status } = await this.#statusOfPlaylist(inputs, options);
    if (status !== 'completed') throw notProcessed(inputs.path);
    const subject = subjectOf(options);
    const renditions = subject ? [{ options: subject }] : await playlists.renditionsOf(inputs, options);
    const found = await Promise.all(
      renditions.map((rendition) => transcodes.find(requestedTranscode(inputs, rendition.options))),
    );
    return found.reduce((sum, variant) => sum + (variant?.size ?? 0), 0);
  }

  #find(requested: DeliveryRequest, admit: AdmitFile | undefined) {
    return this.#options.findOriginal(requested, ({ path }) => this.#options.originals.check(path), admit);
  }

  /** Finds the variant of a transformation in the cache. */
  async #findVariant(
    { path }: ReadableRequest,
    transformation: Transformation,
    stat: OriginalStat,
    { accept, admit }: { accept: string | undefined; admit: AdmitFile | undefined },
  ): Promise<Variant | undefined> {
    const { variants, transcodes, findInputs } = this.#options;
    if (transformation.kind === 'impossible' || transformation.kind === 'playlist') return undefined;
    const { layers, ...original } = await findInputs({ path, version: stat.etag }, transformation.options, admit);
    if (transformation.kind === 'transcode') {
      return transcodes.find(requestedTranscode({ ...original, layers }, transformation.options, accept));
    }
    const terms = { focal: stat.focal, fonts: layers.fonts };
    const { key, files } = requestedImage(inputsWith(original, layers), transformation, accept, terms);
    return variants.get(path, key, files);
  }

  /** Finds the newest cached variant that a job made of a file. */
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

  /** Returns the state of a bare path: that of its newest job, if it is about the current version of the file. */
  async #statusOfNewest({ path }: ReadableRequest, { etag }: OriginalStat): Promise<VariantStatus> {
    const job = await this.#options.queue.jobs.newestOfPath(path);
    return job?.version === etag ? { status: job.status, job } : { status: 'not_found', job: undefined };
  }
}

function notProcessed(path: StoragePath) {
  return notFound(`"${path}" has no finished variant yet.`, 'not_processed');
}
