import { layOverBackground } from './ffmpeg/background.ts';
import {
  COMMON_ARGUMENTS,
  type CommandSettings,
  decoderArguments,
  planVideo,
  threadArguments,
} from './ffmpeg/command.ts';
import { blameVideo, noFrame } from './ffmpeg/errors.ts';
import { type Ffmpeg, runFfmpeg } from './ffmpeg/run.ts';
import { steadyArguments, steadyFrames } from './ffmpeg/steady-frames.ts';
import { openingArguments, type VideoProbe } from './source/probe.ts';
import type { VideoPlan } from './step.ts';
import { background, backgroundColourOf } from './steps/background.ts';
import { crop } from './steps/crop.ts';
import type { VideoOptions } from './steps/index.ts';
import { MAX_PREVIEW_RATE, MAX_PREVIEW_SECONDS, MAX_PREVIEW_SIDE } from './steps/preview.ts';
import { startOffset } from './steps/time.ts';
import {
  commandSettings,
  examineVideo,
  expectedSeconds,
  percentReporter,
  type Transcode,
  timeLimitOf,
  type VideoSettings,
} from './transcode.ts';

/** libwebp's quality scale resembles that of JPEG. */
const DEFAULT_QUALITY = 75;

/** Makes an animation of the first seconds of a video, or of those from `so` on. @throws what `transcode` throws */
export async function makePreview(tools: Ffmpeg, settings: VideoSettings, job: Transcode): Promise<void> {
  const { input, output, options, signal } = job;
  const probe = await examineVideo(tools, settings, job);
  const { startOffset: start = 0, endOffset } = options;
  const length = expectedSeconds(probe, start, endOffset) ?? MAX_PREVIEW_SECONDS;
  const args = previewArguments(input, output, options, probe, commandSettings(tools, settings));
  const { frames } = await runFfmpeg(tools, args, {
    signal,
    niceness: settings.niceness,
    stallMs: settings.stallMs,
    timeoutMs: settings.timeoutMs && timeLimitOf(settings.timeoutMs),
    onProgress: percentReporter(Math.min(length, MAX_PREVIEW_SECONDS), job.onProgress),
  }).catch(blameVideo);
  if (frames === 0) throw noFrame();
  job.onProgress?.(100);
}

/** Returns the arguments of a preview. Both paths are local files. */
function previewArguments(
  input: string,
  output: string,
  options: VideoOptions,
  probe: VideoProbe,
  settings: CommandSettings,
): string[] {
  const plan = planPreview(options, probe, settings);
  const { startOffset: start = 0, endOffset = Number.POSITIVE_INFINITY } = options;
  const seconds = Math.min(MAX_PREVIEW_SECONDS, endOffset - start);
  return [
    ...COMMON_ARGUMENTS,
    // Few small images are no work for several threads.
    ...threadArguments('-filter_threads', settings.threads && 1),
    ...decoderArguments(probe, settings),
    ...steadyArguments(probe),
    ...(startOffset.input?.(start, plan) ?? []),
    ...openingArguments(probe.container, input),
    ...['-map', '0:V:0', '-map_metadata', '-1', '-map_chapters', '-1', '-t', seconds.toFixed(3)],
    ...(options.format === 'gif' ? gifOutput(filtersOf(options, plan)) : webpOutput(filtersOf(options, plan), options)),
    ...['-loop', '0', `file:${output}`],
  ];
}

/** A side that follows from the aspect ratio may exceed the limit; then everything is scaled down. */
function planPreview({ format, ...options }: VideoOptions, probe: VideoProbe, settings: CommandSettings) {
  const plan = planVideo(options, probe, settings);
  const { output } = plan.layout;
  if (Math.max(output.width, output.height) <= MAX_PREVIEW_SIDE) return plan;
  const box = { width: MAX_PREVIEW_SIDE, height: MAX_PREVIEW_SIDE, crop: 'fit' } as const;
  return planVideo({ ...options, ...box }, probe, settings);
}

function filtersOf(options: VideoOptions, plan: VideoPlan): string[] {
  const { frameRate = MAX_PREVIEW_RATE } = options;
  const rate = Math.min(frameRate, plan.probe.frameRate ?? frameRate);
  return [
    ...steadyFrames(plan.probe, plan.layout.output),
    // First, so that dropped frames are not scaled.
    `fps=${rate}`,
    ...layOverBackground(plan, backgroundColourOf(options.background)),
    ...(crop.filters?.(options.crop, plan) ?? []),
    ...(background.filters?.(options.background, plan) ?? []),
  ];
}

function webpOutput(filters: readonly string[], { quality = DEFAULT_QUALITY }: VideoOptions): string[] {
  // libwebp reads all YUV as BT.601. `scale` is explicit, because ffmpeg may otherwise convert before colours are
  // declared.
  const chain = [...filters, 'scale', 'format=bgra'].join(',');
  return ['-vf', chain, '-c:v', 'libwebp_anim', '-quality', String(quality), '-compression_level', '2', '-f', 'webp'];
}

/** Uses one palette for all images, which wait for it in 4:2:0: 92 MB at most. */
function gifOutput(filters: readonly string[]): string[] {
  const chain = [...filters, 'format=yuv420p', 'split[seen][shown]'].join(',');
  const palette = '[seen]palettegen=stats_mode=full[palette]';
  const graph = `${chain};${palette};[shown][palette]paletteuse=dither=sierra2_4a:diff_mode=rectangle`;
  return ['-vf', graph, '-c:v', 'gif', '-f', 'gif'];
}
