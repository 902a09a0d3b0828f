import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { isShortage } from '../errors.ts';
import { BlobNotFound, StorageUnavailable } from '../storage/blob-store.ts';
import type { VariantStore } from '../storage/cache/variant-store.ts';
import type { Originals } from '../storage/originals.ts';
import type { ParameterRules } from '../transformation/param.ts';
import type { Ffmpeg } from '../video/ffmpeg/run.ts';
import { ImpossibleTranscode } from '../video/limits.ts';
import { makeProduct } from '../video/make-product.ts';
import { readCanonicalOptions } from '../video/options.ts';
import { productOf, sourceKindOf } from '../video/product.ts';
import type { StillSettings } from '../video/still.ts';
import { FinalFailure, ServerTrouble } from './failures.ts';
import type { ClaimedJob } from './job.ts';
import type { JobContext } from './worker.ts';

export interface TranscodeRunOptions {
  originals: Originals;
  variants: VariantStore;
  tools: Ffmpeg;
  settings: StillSettings;
  /** What a transformation may ask for. */
  rules: ParameterRules;
  temp: string;
}

/** Makes the function that does a job: it makes a product of the original and puts it into the variant cache. */
export function createTranscodeRun(options: TranscodeRunOptions) {
  const { originals, variants, tools, settings, rules, temp } = options;

  /** Checks the version, because the key of a variant names one and must only get its bytes. */
  async function requireVersion({ path, version }: ClaimedJob): Promise<void> {
    const stat = await originals.check(path);
    if (!stat) throw new Error('The video is no longer there.');
    if (stat.etag !== version) throw new Error('The video was replaced meanwhile.');
  }

  return async (job: ClaimedJob, { signal, onProgress }: JobContext): Promise<void> => {
    const source = sourceKindOf(job.path);
    const videoOptions = readCanonicalOptions(job.transformation, rules, source);
    const { format } = productOf(videoOptions);
    // It was asked for at the moment at which an earlier job had made it.
    if (await variants.get(job.path, job.variantKey, [format])) return;
    const output = join(temp, randomUUID());
    try {
      await requireVersion(job);
      await originals.store.withLocalFile(
        job.path,
        (input) => makeProduct(tools, settings, { input, output, source, options: videoOptions, signal, onProgress }),
        signal,
      );
      await requireVersion(job);
      // A client that hears that it is ready may ask another machine for it.
      await variants.put(job.path, job.variantKey, format, output, { until: 'shared', signal });
    } catch (error) {
      throw toFailure(error);
    } finally {
      await rm(output, { force: true });
    }
  };
}

/** Translates a failure into those that the worker tells apart. */
function toFailure(error: unknown): unknown {
  if (error instanceof BlobNotFound) return new Error('The video is no longer there.', { cause: error });
  if (error instanceof ImpossibleTranscode) return new FinalFailure(error.message, { cause: error });
  if (error instanceof StorageUnavailable) {
    return new ServerTrouble('The storage cannot be reached at the moment; the video is transcoded later.', {
      cause: error,
    });
  }
  if (isShortage(error)) {
    return new ServerTrouble('The server is short of room or memory; the video is transcoded later.', { cause: error });
  }
  return error;
}
