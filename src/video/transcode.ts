import { type CommandSettings, frameArguments, lastFrameArguments, planVideo, transcodeArguments } from './command.ts';
import { type Ffmpeg, FfmpegFailed, type FfmpegProgress, runFfmpeg, runFfprobe } from './ffmpeg.ts';
import type { Size } from './geometry.ts';
import { openingArguments, probeVideo, UndecodableVideo, type VideoProbe } from './probe.ts';
import type { VideoOptions } from './steps/index.ts';

/** The configuration's bounds. Pixels are whole numbers, not megapixels. */
export interface VideoLimits {
  inputPixels: number;
  outputSide: number;
  outputPixels: number;
}

export interface VideoSettings {
  limits: VideoLimits;
  /** Threads of an encoder; undefined leaves it to ffmpeg. */
  threads?: number | undefined;
  /** 0 to 19. */
  niceness?: number | undefined;
  /** How long an encoder may write nothing before it is killed. */
  stallMs?: number | undefined;
}

export interface Transcode {
  /** Local files; the output is overwritten. */
  input: string;
  output: string;
  options: VideoOptions;
  signal?: AbortSignal | undefined;
  /** Percent: 0 to 100, never less than before. */
  onProgress?: ((percent: number) => void) | undefined;
}

/** The video is sound, but not for what is asked of it. The message is for the one who asked. */
export class ImpossibleTranscode extends Error {
  override name = 'ImpossibleTranscode';
}

/** A result that falls short of this share of what was to come is looked into. */
const MIN_COMPLETE_SHARE = 0.9;

/**
 * Transcodes a video into a file.
 * @throws UndecodableVideo, ImpossibleTranscode, FfmpegStalled, FfmpegFailed (the encoder's fault), or the signal's reason
 */
export async function transcode(tools: Ffmpeg, settings: VideoSettings, job: Transcode): Promise<void> {
  const { input, output, options, signal } = job;
  const probe = await probeVideo(tools, input, signal);
  const command = commandSettings(tools, settings);
  const { layout, start } = planVideo(options, probe, command);
  if (probe.isCutShort) throw new UndecodableVideo('The file ends too early; a part of the video is missing.');
  checkInput(probe, settings.limits);
  checkOutput(layout.output, settings.limits);
  const length = expectedSeconds(probe, start, options.endOffset);
  const percent = percentReporter(length, job.onProgress);
  const end = await runFfmpeg(tools, transcodeArguments(input, output, options, probe, command), {
    signal,
    niceness: settings.niceness,
    stallMs: settings.stallMs,
    onProgress: percent,
  }).catch(blameVideo);
  if (end.frames === 0) throw noFrame();
  if (isShort(end, length)) await compareLastFrames(tools, job, probe, start);
  job.onProgress?.(100);
}

/**
 * Writes one frame of a video as a lossless PNG: the first at or after the time, past the end the last one.
 * @param time seconds
 * @throws UndecodableVideo, ImpossibleTranscode when the picture is over a limit, or the signal's reason
 */
export async function extractFrame(
  tools: Ffmpeg,
  settings: VideoSettings,
  { input, output, time, signal }: { input: string; output: string; time: number; signal?: AbortSignal | undefined },
): Promise<void> {
  const probe = await probeVideo(tools, input, signal);
  checkInput(probe, settings.limits);
  const command = commandSettings(tools, settings);
  const write = async (args: string[]) => {
    const { frames } = await runFfmpeg(tools, args, { signal, stallMs: settings.stallMs }).catch(blameVideo);
    return frames > 0;
  };
  const isPastEnd = time >= (probe.videoDuration ?? Number.POSITIVE_INFINITY);
  if (!isPastEnd && (await write(frameArguments(input, output, time, probe, command)))) return;
  const lastTime = await findLastFrame(tools, input, probe, signal);
  if (lastTime !== undefined && (await write(frameArguments(input, output, lastTime, probe, command)))) return;
  if (await write(lastFrameArguments(input, output, probe, command))) return;
  throw noFrame();
}

function commandSettings({ canMapTones }: Ffmpeg, { threads, limits }: VideoSettings): CommandSettings {
  return { threads, canMapTones, maxPixels: limits.inputPixels };
}

function checkInput({ upright }: VideoProbe, { inputPixels }: VideoLimits): void {
  if (upright.width * upright.height <= inputPixels) return;
  throw new ImpossibleTranscode(
    `The video has ${upright.width} x ${upright.height} pixels; the limit is ${inputPixels / 1e6} megapixels (MAX_INPUT_MEGAPIXELS).`,
  );
}

function checkOutput({ width, height }: Size, { outputSide, outputPixels }: VideoLimits): void {
  const size = `The result would have ${width} x ${height} pixels`;
  if (Math.max(width, height) > outputSide) {
    throw new ImpossibleTranscode(`${size}; the limit for a side is ${outputSide} (MAX_OUTPUT_SIDE).`);
  }
  if (width * height > outputPixels) {
    throw new ImpossibleTranscode(`${size}; the limit is ${outputPixels / 1e6} megapixels (MAX_OUTPUT_MEGAPIXELS).`);
  }
}

/** How long the result will be; undefined where the file does not say how long it is. */
function expectedSeconds(probe: VideoProbe, start: number, end: number | undefined): number | undefined {
  const { duration, videoDuration } = probe;
  if (start > 0 && videoDuration !== undefined && start >= videoDuration) throw startsPastEnd(start, videoDuration);
  if (duration === undefined) return end === undefined ? undefined : end - start;
  return Math.min(end ?? duration, duration) - start;
}

function startsPastEnd(start: number, duration: number) {
  const seconds = Math.round(duration * 1000) / 1000;
  return new ImpossibleTranscode(
    `The start offset so_${start} lies past the end of the video, which lasts ${seconds} s.`,
  );
}

function percentReporter(length: number | undefined, onProgress: ((percent: number) => void) | undefined) {
  let highest = 0;
  return ({ seconds }: FfmpegProgress) => {
    if (!length) return;
    // 100 is said when the file is complete, not when the last frame is in.
    const percent = Math.min(99, Math.floor((seconds / length) * 100));
    if (percent <= highest) return;
    highest = percent;
    onProgress?.(percent);
  };
}

/** Shorter than was to come by more than a tenth, and by more than a second. */
function isShort({ seconds }: FfmpegProgress, length: number | undefined): boolean {
  return length !== undefined && seconds < Math.min(length * MIN_COMPLETE_SHARE, length - 1);
}

/**
 * ffmpeg ends well with what it found of a damaged file. A result that seems too short is all right only where the last
 * frame of the source just stands still for long.
 */
async function compareLastFrames(tools: Ffmpeg, job: Transcode, source: VideoProbe, start: number): Promise<void> {
  const { input, output, options, signal } = job;
  const last = (await findLastFrame(tools, input, source, signal)) ?? 0;
  const result = await probeVideo(tools, output, signal);
  const reached = start + ((await findLastFrame(tools, output, result, signal)) ?? 0);
  const expected = Math.min(last, options.endOffset ?? last);
  if (reached >= expected - 1) return;
  throw new UndecodableVideo(
    `Only the first ${reached.toFixed(1)} of ${expected.toFixed(1)} s of the video can be decoded; it is damaged.`,
  );
}

function noFrame() {
  return new UndecodableVideo('No frame of the video can be decoded; it is damaged or incomplete.');
}

/** An encoder that gives up does so for the video; one that was killed may have been killed for the machine's sake. */
function blameVideo(cause: unknown): never {
  if (!(cause instanceof FfmpegFailed) || cause.signal) throw cause;
  throw new UndecodableVideo(`The video cannot be converted: ${cause.lines.slice(-3).join('; ')}`, { cause });
}

/** Seconds from the beginning to the last frame, read from the index and the packets after the last key frame alone. */
async function findLastFrame(
  tools: Ffmpeg,
  input: string,
  { container, startTime, videoDuration }: VideoProbe,
  signal: AbortSignal | undefined,
): Promise<number | undefined> {
  const text = await runFfprobe(
    tools,
    [
      ...['-v', 'error', '-select_streams', 'V:0', '-read_intervals', `${startTime + (videoDuration ?? 0)}%`],
      ...['-show_entries', 'packet=pts_time', '-of', 'csv=p=0'],
      ...openingArguments(container, input),
    ],
    signal,
  ).catch(() => '');
  signal?.throwIfAborted();
  const times = text
    .split('\n')
    .map((line) => Number.parseFloat(line))
    .filter(Number.isFinite);
  // A millisecond before, so that rounding does not skip it.
  return times.length === 0 ? undefined : Math.max(0, Math.max(...times) - startTime - 0.001);
}
