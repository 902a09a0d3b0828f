import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type ErrorCode, HttpProblem, isShortage } from '../errors.ts';
import type { Log } from '../log.ts';
import type { StoragePath } from '../path.ts';
import { BlobNotFound, StorageUnavailable } from '../storage/blob-store.ts';
import type { VariantStore } from '../storage/cache/variant-store.ts';
import type { Originals } from '../storage/originals.ts';
import type { ParameterRules } from '../transformation/param.ts';
import type { Ffmpeg } from '../video/ffmpeg/run.ts';
import { ImpossibleTranscode } from '../video/limits.ts';
import { makeProduct } from '../video/make-product.ts';
import { readCanonicalOptions } from '../video/options.ts';
import { type Product, productOf, sourceKindOf } from '../video/product.ts';
import type { SourceKind } from '../video/step.ts';
import type { VideoOptions } from '../video/steps/index.ts';
import type { StillSettings } from '../video/still.ts';
import { type Transcode, transcodeTogether } from '../video/transcode.ts';
import type { ClaimedJob } from './job.ts';
import { FinalFailure, type JobContext, type RunningJob, TransientFailure } from './worker.ts';

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
  log: Log;
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

/** A job as its transformation describes it. */
interface ReadJob {
  source: SourceKind;
  options: VideoOptions;
  format: Product['format'];
  overlay: Overlay | undefined;
}

/** Creates the functions that run jobs: they render variants of an original and store them in the cache. */
export function createTranscodeRun(options: TranscodeRunOptions) {
  const { originals, variants, tools, settings, temp } = options;
  const parts = createParts(options);

  async function run(job: ClaimedJob, { signal, onProgress }: JobContext): Promise<void> {
    const described = parts.read(job);
    const { source, overlay, format } = described;
    // It was requested just when an earlier job completed it.
    if (await variants.get(job.path, job.variantKey, [format])) return;
    const output = join(temp, randomUUID());
    const drawOverlay = drawing(overlay, signal);
    const making = { output, source, options: described.options, drawOverlay, signal, onProgress };
    try {
      await parts.requireVersion(job);
      await originals.store.withLocalFile(
        job.path,
        (input) => makeProduct(tools, settings, { ...making, input }),
        signal,
      );
      await parts.store(job, described, output, signal);
    } catch (error) {
      throw toFailure(error);
    } finally {
      await rm(output, { force: true });
    }
  }

  /**
   * Runs jobs for renditions of one stream. If they cannot be made together, each is made alone, one after the other:
   * so each has its own result, and no limit is exceeded that one alone would keep.
   */
  function runTogether(jobs: readonly RunningJob[]): readonly Promise<void>[] {
    const files = jobs.map(() => join(temp, randomUUID()));
    const made = makeTogether(options, parts, jobs, files);
    let previous: Promise<unknown> = made;
    return jobs.map(({ job, ...context }, n) => {
      const file = files[n] as string;
      const { signal } = context;
      const result = previous.then(async () => {
        try {
          signal.throwIfAborted();
          if (await made) await parts.store(job, parts.read(job), file, signal);
          else await run(job, context);
        } catch (error) {
          throw toFailure(error);
        } finally {
          await rm(file, { force: true });
        }
      });
      previous = result.catch(() => undefined);
      return result;
    });
  }

  return { run, runTogether };
}

export type TranscodeRun = ReturnType<typeof createTranscodeRun>;

/** The services of a space on which its jobs run, with paths that are relative to it. */
export interface SpaceTranscodes {
  options: TranscodeRunOptions;
  /** Path in the space of a path of the library. */
  toInner(path: StoragePath): StoragePath;
}

/** Returns the services of a space. @throws FinalFailure for a space that does not exist any more */
export type TranscodesOf = (space: string) => SpaceTranscodes;

/** Creates the functions that run each job on the services of its space; `own` runs those of the library. */
export function createTranscodeRunBySpace(own: TranscodeRun, transcodesOf: TranscodesOf): TranscodeRun {
  async function run(job: ClaimedJob, context: JobContext): Promise<void> {
    if (job.space === '') return own.run(job, context);
    const { options, toInner } = transcodesOf(job.space);
    return createTranscodeRun(options).run({ ...job, path: toInner(job.path) }, context);
  }

  function runTogether(jobs: readonly RunningJob[]): readonly Promise<void>[] {
    const space = jobs[0]?.job.space ?? '';
    if (space === '') return own.runTogether(jobs);
    try {
      const { options, toInner } = transcodesOf(space);
      const inner = jobs.map(({ job, ...context }) => ({ ...context, job: { ...job, path: toInner(job.path) } }));
      return createTranscodeRun(options).runTogether(inner);
    } catch (error) {
      return jobs.map(() => Promise.reject(error));
    }
  }

  return { run, runTogether };
}

type Parts = ReturnType<typeof createParts>;

/** Creates the functions that one job and several together share. */
function createParts({ originals, variants, rules, splitTransformation }: TranscodeRunOptions) {
  /** Checks the version, because the key of a variant names one and must only get its bytes. */
  async function requireVersion({ path, version }: ClaimedJob): Promise<void> {
    const stat = await originals.check(path);
    if (!stat) throw new Error('The video is no longer there.');
    if (stat.etag !== version) throw new Error('The video was replaced meanwhile.');
  }

  return {
    requireVersion,
    read(job: ClaimedJob): ReadJob {
      const source = sourceKindOf(job.path);
      const { base, overlay } = splitTransformation(job);
      const options = readCanonicalOptions(base, rules, source);
      return { source, options, format: productOf(options).format, overlay };
    },
    /** Stores the finished file of a job. */
    async store(job: ClaimedJob, { format, overlay }: ReadJob, file: string, signal: AbortSignal): Promise<void> {
      await requireVersion(job);
      await overlay?.requireVersions();
      // A client that is notified that it is ready may request it from another node.
      await variants.put(job.path, job.variantKey, format, file, { until: 'shared', signal });
    },
  };
}

/**
 * Makes the files of several renditions in one process. It ends when no job is left that needs it.
 * @returns false when one exists already, and after any failure
 */
async function makeTogether(
  { originals, variants, tools, settings, log }: TranscodeRunOptions,
  { read, requireVersion }: Parts,
  jobs: readonly RunningJob[],
  files: readonly string[],
): Promise<boolean> {
  const [{ job }] = jobs as [RunningJob];
  const signal = whenAllAborted(jobs.map((one) => one.signal));
  try {
    const described = jobs.map((one) => read(one.job));
    const found = described.map(({ format }, n) => variants.get(job.path, jobs[n]?.job.variantKey ?? '', [format]));
    if ((await Promise.all(found)).some((variant) => variant !== undefined)) return false;
    await requireVersion(job);
    const [{ source, overlay }] = described as [ReadJob];
    const results = described.map(({ options }, n) => ({ options, output: files[n] as string }));
    const drawOverlay = drawing(overlay, signal);
    const onProgress = (percent: number) => {
      for (const one of jobs) one.onProgress(percent);
    };
    const making = { source, results, drawOverlay, signal, onProgress };
    await originals.store.withLocalFile(
      job.path,
      (input) => transcodeTogether(tools, settings, { ...making, input }),
      signal,
    );
    return true;
  } catch (error) {
    await Promise.all(files.map((file) => rm(file, { force: true })));
    if (!signal.aborted) log.warn({ path: job.path, err: error }, 'Renditions failed together; each is made alone');
    return false;
  }
}

function drawing(overlay: Overlay | undefined, signal: AbortSignal): Transcode['drawOverlay'] {
  return overlay && ((size, file) => overlay.draw(size, file, signal));
}

/** Returns a signal that aborts when all of them have, with the reason of the last. */
function whenAllAborted(signals: readonly AbortSignal[]): AbortSignal {
  const abort = new AbortController();
  for (const signal of signals) {
    const check = () => {
      if (signals.every(({ aborted }) => aborted)) abort.abort(signal.reason);
    };
    if (signal.aborted) check();
    else signal.addEventListener('abort', check, { once: true });
  }
  return abort.signal;
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
