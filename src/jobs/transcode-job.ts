import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type ErrorCode, HttpProblem, isShortage } from '../errors.ts';
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
import type { Transcode } from '../video/transcode.ts';
import type { ClaimedJob } from './job.ts';
import { FinalFailure, type JobContext, TransientFailure } from './worker.ts';

export interface TranscodeRunOptions {
  originals: Originals;
  variants: VariantStore;
  tools: Ffmpeg;
  settings: StillSettings;
  /** Limits of the parameters of a transformation. */
  rules: ParameterRules;
  /** Splits the overlay of a video from its base. */
  splitTransformation(job: JobSubject): SplitTransformation;
  temp: string;
}

/** Output of a job, and its source. */
export type JobSubject = Pick<ClaimedJob, 'path' | 'version' | 'transformation' | 'variantKey'>;

export interface SplitTransformation {
  /** Transformation of the original. */
  base: string;
  /** Overlay of the video; undefined without one. */
  overlay: Overlay | undefined;
}

/** An image over a video. */
export interface Overlay {
  /**
   * Draws it into a PNG of this size.
   * @throws ImpossibleTranscode where it cannot be drawn, and when a file was replaced
   */
  draw(size: { width: number; height: number }, output: string, signal: AbortSignal): Promise<void>;
  /** @throws when a file that it is drawn from was replaced */
  requireVersions(): Promise<void>;
}

/** Creates the function that runs a job: it renders a variant of the original and stores it in the cache. */
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
    const { base, overlay } = options.splitTransformation(job);
    const videoOptions = readCanonicalOptions(base, rules, source);
    const { format } = productOf(videoOptions);
    // It was requested just when an earlier job completed it.
    if (await variants.get(job.path, job.variantKey, [format])) return;
    const output = join(temp, randomUUID());
    const drawOverlay: Transcode['drawOverlay'] = overlay && ((size, file) => overlay.draw(size, file, signal));
    const making = { output, source, options: videoOptions, drawOverlay, signal, onProgress };
    try {
      await requireVersion(job);
      await originals.store.withLocalFile(
        job.path,
        (input) => makeProduct(tools, settings, { ...making, input }),
        signal,
      );
      await requireVersion(job);
      await overlay?.requireVersions();
      // A client that is notified that it is ready may request it from another node.
      await variants.put(job.path, job.variantKey, format, output, { until: 'shared', signal });
    } catch (error) {
      throw toFailure(error);
    } finally {
      await rm(output, { force: true });
    }
  };
}

/** Errors for which no image is rendered at the moment. */
const BUSY: readonly ErrorCode[] = ['queue_full', 'overloaded', 'stopping'];

/** Converts a failure into those that the worker distinguishes. */
function toFailure(error: unknown): unknown {
  if (error instanceof BlobNotFound) return new Error('The video is no longer there.', { cause: error });
  if (error instanceof ImpossibleTranscode) return new FinalFailure(error.message, { cause: error });
  const trouble = transientFailureOf(error);
  return trouble === undefined
    ? error
    : new TransientFailure(`${trouble}; the video is transcoded later.`, { cause: error });
}

/** Returns the transient failure of the server; undefined where none is known. */
function transientFailureOf(error: unknown): string | undefined {
  if (error instanceof StorageUnavailable) return 'The storage cannot be reached at the moment';
  if (error instanceof HttpProblem && BUSY.includes(error.code)) {
    return 'The server has too much to render at the moment';
  }
  return isShortage(error) ? 'The server is short of disk space or memory' : undefined;
}
