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
  /** Parts what lies over a video from what is made of it. */
  splitTransformation(job: JobSubject): SplitTransformation;
  temp: string;
}

/** What a job makes, and of what. */
export type JobSubject = Pick<ClaimedJob, 'path' | 'version' | 'transformation' | 'variantKey'>;

export interface SplitTransformation {
  /** What is made of the original. */
  base: string;
  /** What lies over it; undefined where nothing does. */
  overlay: Overlay | undefined;
}

/** A picture that lies over a video. */
export interface Overlay {
  /** Draws it into a PNG of this size. @throws ImpossibleTranscode where it cannot be drawn, and when a file was replaced */
  draw(size: { width: number; height: number }, output: string, signal: AbortSignal): Promise<void>;
  /** @throws when a file was replaced that it is drawn from */
  requireVersions(): Promise<void>;
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
    const { base, overlay } = options.splitTransformation(job);
    const videoOptions = readCanonicalOptions(base, rules, source);
    const { format } = productOf(videoOptions);
    // It was asked for at the moment at which an earlier job had made it.
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
      // A client that hears that it is ready may ask another machine for it.
      await variants.put(job.path, job.variantKey, format, output, { until: 'shared', signal });
    } catch (error) {
      throw toFailure(error);
    } finally {
      await rm(output, { force: true });
    }
  };
}

/** Why pictures are not rendered at the moment, whatever they are. */
const BUSY: readonly ErrorCode[] = ['queue_full', 'overloaded', 'stopping'];

/** Translates a failure into those that the worker tells apart. */
function toFailure(error: unknown): unknown {
  if (error instanceof BlobNotFound) return new Error('The video is no longer there.', { cause: error });
  if (error instanceof ImpossibleTranscode) return new FinalFailure(error.message, { cause: error });
  const trouble = troubleOf(error);
  return trouble === undefined
    ? error
    : new ServerTrouble(`${trouble}; the video is transcoded later.`, { cause: error });
}

/** What is wrong with the server and not with the video; undefined where that is not known to be so. */
function troubleOf(error: unknown): string | undefined {
  if (error instanceof StorageUnavailable) return 'The storage cannot be reached at the moment';
  if (error instanceof HttpProblem && BUSY.includes(error.code)) {
    return 'The server has too much to render at the moment';
  }
  return isShortage(error) ? 'The server is short of room or memory' : undefined;
}
