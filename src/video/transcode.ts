import { rm } from 'node:fs/promises';
import { describeMissingLibrary, describeTooSmall } from './ffmpeg/codecs.ts';
import { type CommandSettings, type Encoded, planVideo, sharedArguments } from './ffmpeg/command.ts';
import { blameVideo, noFrame, UndecodableVideo } from './ffmpeg/errors.ts';
import { withMendedGif } from './ffmpeg/gif.ts';
import { overlaySize } from './ffmpeg/overlay.ts';
import { type Ffmpeg, type FfmpegProgress, runFfmpeg } from './ffmpeg/run.ts';
import type { Size } from './geometry.ts';
import { checkInput, describeExcess, ImpossibleTranscode, type OutputLimits } from './limits.ts';
import { findLastFrame } from './source/frame-times.ts';
import { probeGif, probeVideo, requireComplete, type VideoProbe } from './source/probe.ts';
import type { SourceKind, VideoPlan } from './step.ts';
import type { VideoOptions } from './steps/index.ts';

/** Limits from the settings. Pixels are whole numbers, not megapixels. */
interface VideoLimits {
  inputPixels: number;
  output: OutputLimits;
}

export interface VideoSettings {
  limits: VideoLimits;
  /** Threads for an encoder; undefined leaves it to ffmpeg. */
  threads?: number | undefined;
  /** 0 to 19. */
  niceness?: number | undefined;
  /** Longest time without progress before an encoder is killed, in ms. */
  stallMs?: number | undefined;
  /** Time limit per minute of the source, in ms. */
  timeoutMs?: number | undefined;
}

export interface Transcode {
  /** Local files; the output is overwritten. */
  input: string;
  output: string;
  options: VideoOptions;
  /** Kind of the input; a video by default. */
  source?: SourceKind;
  /** Draws the overlay of every frame as a PNG of a size in pixels. */
  drawOverlay?: ((size: Size, file: string) => Promise<void>) | undefined;
  signal?: AbortSignal | undefined;
  /** Percent: 0 to 100, never decreasing. */
  onProgress?: ((percent: number) => void) | undefined;
}

/** Several transcodes of the same part of a video, each into a file of its own. */
export interface SharedTranscode extends Omit<Transcode, 'output' | 'options'> {
  /** At least one; several only without audio, like renditions of a stream. */
  results: readonly Encoded[];
}

/** Frames that count as one second of a video. */
const GIF_FRAME_RATE = 25;

/**
 * Niceness that several results add: they are the higher renditions of a stream, and the lowest, with which it can be
 * played, may be encoded beside them.
 */
const SHARED_NICENESS = 4;
const MAX_NICENESS = 19;

/** Results shorter than this share of the expected length are checked. */
const MIN_COMPLETE_SHARE = 0.9;

/**
 * Transcodes a video into a file.
 * @throws UndecodableVideo, ImpossibleTranscode, DiskFull, FfmpegStalled, FfmpegFailed (the encoder's fault), or the
 * signal's reason
 */
export async function transcode(tools: Ffmpeg, settings: VideoSettings, job: Transcode): Promise<void> {
  const { output, options, ...rest } = job;
  const shared: SharedTranscode = { ...rest, results: [{ output, options }] };
  if (job.source !== 'gif') return transcodeTogether(tools, settings, shared);
  await withMendedGif(job.input, `${output}.gif`, (input) => transcodeTogether(tools, settings, { ...shared, input }));
}

/**
 * Makes all results in one process that decodes the video once: each file is as `transcode` alone would make it. The
 * time limit is that of all of them, and a failure concerns all.
 * @throws what `transcode` throws
 */
export async function transcodeTogether(tools: Ffmpeg, settings: VideoSettings, job: SharedTranscode): Promise<void> {
  const { input, results, signal } = job;
  const probe = await examineVideo(tools, settings, job);
  const command = commandSettings(tools, settings);
  const plans = results.map(({ options }) => planVideo(options, probe, command));
  for (const plan of plans) checkPlan(plan, tools, settings);
  const [{ options }] = results as [Encoded];
  const [first] = plans as [VideoPlan];
  const { start, audio } = first;
  const length = expectedSeconds(probe, start, options.endOffset);
  const percent = percentReporter(length, job.onProgress);
  const timeoutMs = await timeLimit(tools, settings, job, probe);
  const { stallMs } = settings;
  const niceness = results.length > 1 ? nicer(settings.niceness) : settings.niceness;
  const end = await withOverlay(job, overlaySize(first, settings.limits.output), (overlay) => {
    const encode = (source: VideoProbe) => {
      const args = sharedArguments({ input, overlay }, results, source, command);
      return runFfmpeg(tools, args, { signal, niceness, stallMs, timeoutMs, onProgress: percent }).catch(blameVideo);
    };
    return audio ? withoutBrokenAudio(encode, probe) : encode(probe);
  });
  if (end.frames === 0) throw noFrame();
  if (isShort(end, length)) {
    for (const result of results) await compareLastFrames(tools, { input, signal, ...result }, probe, start);
  }
  job.onProgress?.(100);
}

const nicer = (niceness = 0) => Math.min(MAX_NICENESS, niceness + SHARED_NICENESS);

/** @throws ImpossibleTranscode for a result beyond the limits, and one that ffmpeg cannot encode */
function checkPlan({ layout, codec }: VideoPlan, tools: Ffmpeg, { limits }: VideoSettings): void {
  const excess =
    describeExcess(layout.output, limits.output) ??
    describeTooSmall(codec, layout.output) ??
    describeMissingLibrary(codec, tools.libraries);
  if (excess !== undefined) throw new ImpossibleTranscode(excess);
}

/**
 * Retries a failed encode without audio: the audio may be at fault, and video matters more.
 * @throws the error of the first attempt
 */
async function withoutBrokenAudio<T>(encode: (source: VideoProbe) => Promise<T>, probe: VideoProbe): Promise<T> {
  try {
    return await encode(probe);
  } catch (error) {
    if (!(error instanceof UndecodableVideo)) throw error;
    try {
      return await encode({ ...probe, audio: undefined });
    } catch (second) {
      throw second instanceof UndecodableVideo ? error : second;
    }
  }
}

/** Calls `work` with a temporary file of the overlay. */
async function withOverlay<T>(
  { drawOverlay, results }: SharedTranscode,
  size: Size,
  work: (file: string | undefined) => Promise<T>,
): Promise<T> {
  if (!drawOverlay) return work(undefined);
  const file = `${results[0]?.output}.png`;
  try {
    await drawOverlay(size, file);
    return await work(file);
  } finally {
    await rm(file, { force: true });
  }
}

/**
 * Reads the properties of a video before it is processed.
 * @throws UndecodableVideo, ImpossibleTranscode when its frames exceed the input limit
 */
export async function examineVideo(
  tools: Ffmpeg,
  { limits }: VideoSettings,
  { input, source, signal }: Pick<Transcode, 'input' | 'source' | 'signal'>,
): Promise<VideoProbe> {
  const probe = await (source === 'gif' ? probeGif : probeVideo)(tools, input, signal);
  requireComplete(probe);
  checkInput(probe.upright, limits.inputPixels);
  return probe;
}

export function commandSettings({ canMapTones }: Ffmpeg, { threads, limits }: VideoSettings): CommandSettings {
  return { threads, canMapTones, maxPixels: limits.inputPixels };
}

/**
 * Returns the time limit of a transcode, in ms, by the length of the source.
 * @param timeoutMs per minute of the source; at least one is counted
 * @param seconds the length of the source; undefined when it is not known
 */
export function timeLimitOf(timeoutMs: number, seconds = 0): number {
  return timeoutMs * Math.max(1, seconds / 60);
}

async function timeLimit(
  tools: Ffmpeg,
  { timeoutMs }: VideoSettings,
  { input, results, signal }: SharedTranscode,
  probe: VideoProbe,
): Promise<number | undefined> {
  if (timeoutMs === undefined) return undefined;
  const duration =
    probe.container === 'gif'
      ? gifSeconds(probe)
      : (probe.duration ?? (await findLastFrame(tools, input, probe, signal)));
  const [{ options }] = results as [Encoded];
  const seconds = Math.min(duration ?? 0, options.endOffset ?? Number.POSITIVE_INFINITY);
  return results.length * timeLimitOf(timeoutMs, seconds);
}

/** A GIF may show a frame for minutes, which takes no time to transcode. */
function gifSeconds({ duration = 0, frames = 0 }: VideoProbe): number {
  return Math.min(duration, frames / GIF_FRAME_RATE);
}

/** @throws ImpossibleTranscode when the start is past the end of the video */
export function checkStart({ videoDuration }: VideoProbe, start: number): void {
  if (start > 0 && videoDuration !== undefined && start >= videoDuration) {
    const seconds = Math.round(videoDuration * 1000) / 1000;
    const message = `The start offset so_${start} lies past the end of the video, which lasts ${seconds} s.`;
    throw new ImpossibleTranscode(message);
  }
}

/**
 * Returns the expected length of the result; undefined if the file does not state its own.
 * @throws ImpossibleTranscode when the start is past the end of the video
 */
export function expectedSeconds(probe: VideoProbe, start: number, end: number | undefined): number | undefined {
  checkStart(probe, start);
  const { duration } = probe;
  if (duration === undefined) return end === undefined ? undefined : end - start;
  return Math.min(end ?? duration, duration) - start;
}

/**
 * Returns a callback that reports progress in percent.
 * @param length of the result, in seconds; undefined when it is not known
 */
export function percentReporter(length: number | undefined, onProgress: ((percent: number) => void) | undefined) {
  let highest = 0;
  return ({ seconds }: FfmpegProgress) => {
    if (!length) return;
    // 100 is reported when the file is complete, not when the last frame is written.
    const percent = Math.min(99, Math.floor((seconds / length) * 100));
    if (percent <= highest) return;
    highest = percent;
    onProgress?.(percent);
  };
}

/** True if a result is shorter than expected by more than 10 % and more than one second. */
function isShort({ seconds }: FfmpegProgress, length: number | undefined): boolean {
  return length !== undefined && seconds < Math.min(length * MIN_COMPLETE_SHARE, length - 1);
}

/**
 * Detects damaged files: ffmpeg reports no error when one ends too early. A short result is correct only if the last
 * frame of the source, or the last one before `eo`, is shown for long.
 */
async function compareLastFrames(
  tools: Ffmpeg,
  { input, output, options, signal }: Transcode,
  source: VideoProbe,
  start: number,
): Promise<void> {
  const { endOffset: end = Number.POSITIVE_INFINITY } = options;
  const isPart = end < (source.videoDuration ?? Number.POSITIVE_INFINITY);
  const expected = (await findLastFrame(tools, input, source, signal, isPart ? end : undefined)) ?? 0;
  const result = await probeVideo(tools, output, signal);
  const reached = start + ((await findLastFrame(tools, output, result, signal)) ?? 0);
  if (reached >= expected - 1) return;
  const message = `Only the first ${reached.toFixed(1)} of ${expected.toFixed(1)} s of the video can be decoded; it is damaged.`;
  throw new UndecodableVideo(message);
}
