import { notFound } from '../errors.ts';
import type { Job, JobStatus } from '../jobs/job.ts';
import type { Queue } from '../jobs/queue.ts';
import type { BlobStat } from '../storage/blob-store.ts';
import type { Variant, VariantStore } from '../storage/cache/variants.ts';
import type { Originals } from '../storage/originals.ts';
import type { VideoFormat } from '../video/step.ts';
import type { Missing } from './missing.ts';
import { wantPicture } from './picture.ts';
import type { DeliveryRequest, Transformation } from './url.ts';
import { type Transcodes, wantTranscode } from './video.ts';

/** How far a variant is. */
export interface VariantStatus {
  status: JobStatus | 'not_found';
  /** The job that it is told of; undefined where none is known, as of a variant that was made long ago. */
  job: Job | undefined;
}

export interface VideoStatusOptions {
  originals: Originals;
  variants: VariantStore;
  queue: Queue;
  transcodes: Transcodes;
  missing: Missing;
}

/** How many finished jobs of a file are looked through for one whose variant is still in the cache. */
const MAX_COMPLETED = 100;

const VIDEO_FORMATS: readonly VideoFormat[] = ['mp4', 'webm', 'mov'];

/** Makes the functions that tell how far the variant of a request is. They queue nothing. @throws HttpProblem 404 without the file */
export function createVideoStatus({ originals, variants, queue, transcodes, missing }: VideoStatusOptions) {
  async function requireFile(request: DeliveryRequest): Promise<BlobStat> {
    const stat = await originals.check(request.path);
    if (!stat) throw missing(request);
    return stat;
  }

  /** The variant of a transformation, if it is in the cache. */
  async function find(
    { path }: DeliveryRequest,
    transformation: Transformation,
    { etag }: BlobStat,
    accept: string | undefined,
  ): Promise<Variant | undefined> {
    if (transformation.kind === 'impossible') return undefined;
    if (transformation.kind === 'transcode') return transcodes.find(wantTranscode(path, etag, transformation.options));
    const { key, files } = wantPicture(path, etag, transformation, accept);
    return variants.get(path, key, files);
  }

  /** The newest variant of a file that a job has made and that is in the cache. */
  async function findNewest({ path }: DeliveryRequest, { etag }: BlobStat): Promise<Variant | undefined> {
    const { jobs } = await queue.list({ path, status: 'completed', limit: MAX_COMPLETED, offset: 0 });
    for (const { version, variantKey } of jobs) {
      if (version !== etag) continue;
      const variant = await variants.get(path, variantKey, VIDEO_FORMATS);
      if (variant) return variant;
    }
    return undefined;
  }

  /** Of a bare path: its newest job, as far as it is about the file as it is now. */
  async function statusOfNewest({ path }: DeliveryRequest, { etag }: BlobStat): Promise<VariantStatus> {
    const job = await queue.newestOfPath(path);
    return job?.version === etag ? { status: job.status, job } : { status: 'not_found', job: undefined };
  }

  return {
    async status(request: DeliveryRequest, accept: string | undefined): Promise<VariantStatus> {
      const { path, transformation } = request;
      const stat = await requireFile(request);
      if (!transformation) return statusOfNewest(request, stat);
      const isTranscode = transformation.kind === 'transcode';
      const key = isTranscode ? wantTranscode(path, stat.etag, transformation.options).key : undefined;
      // The job first: it is completed after its variant is in the cache.
      const job = key === undefined ? undefined : await queue.newestOfVariant(key);
      if (await find(request, transformation, stat, accept)) {
        return { status: 'completed', job: job?.status === 'completed' ? job : undefined };
      }
      // A variant that was made and has gone since is made anew when it is asked for: as if there had been no job.
      return job && job.status !== 'completed' ? { status: job.status, job } : { status: 'not_found', job: undefined };
    },

    /** Bytes. @throws HttpProblem 404 also when the variant is not there yet */
    async size(request: DeliveryRequest, accept: string | undefined): Promise<number> {
      const { path, transformation } = request;
      const stat = await requireFile(request);
      const variant = transformation
        ? await find(request, transformation, stat, accept)
        : await findNewest(request, stat);
      if (!variant) throw notFound(`The optimized version of "${path}" is not there yet.`, 'Not processed yet');
      return variant.size;
    },
  };
}
