import { planVideoLayout } from '../geometry.ts';
import { videoFormatOf } from '../options.ts';
import { openingArguments, type VideoProbe } from '../source/probe.ts';
import type { VideoPlan, VideoStep } from '../step.ts';
import { backgroundColourOf } from '../steps/background.ts';
import { type VideoOptions, videoSteps } from '../steps/index.ts';
import { evenLoudness } from './audio.ts';
import { layOverBackground } from './background.ts';
import { defaultCodec } from './codecs.ts';
import { needsConversion, rgbToVideo } from './colour.ts';
import { overlayFilter } from './overlay.ts';
import { mostFramesOf } from './rendition.ts';
import { steadyArguments, steadyFrames } from './steady-frames.ts';
import { decoderThreads, encoderThreads } from './threads.ts';

/** What the machine decides of a command, not the URL. */
export interface CommandSettings {
  /** Threads that decoder, filters and encoder may use, each; undefined leaves it to ffmpeg. */
  threads?: number | undefined;
  /** True if ffmpeg has the filters for HDR and wide primaries; without them colours stay pale. */
  canMapTones: boolean;
  /** The largest frame that is decoded: a stream may grow beyond what its header says. */
  maxPixels?: number | undefined;
}

const manners = '-hide_banner -nostdin -v error -y -progress pipe:1 -stats_period 0.25';
/** Only errors on standard error, progress on standard output, and an existing file is overwritten. */
export const COMMON_ARGUMENTS: readonly string[] = manners.split(' ');

/** Everything about a transcode that is decided before ffmpeg starts. */
export function planVideo(options: VideoOptions, probe: VideoProbe, settings: CommandSettings): VideoPlan {
  const layout = planVideoLayout(probe, options);
  const format = videoFormatOf(options);
  const audio = options.audio === 'none' || format === 'cmaf' ? undefined : probe.audio;
  return {
    ...{ layout, probe, format, codec: options.codec ?? defaultCodec(format) },
    audio,
    audioFilters: audio && options.loudness ? [evenLoudness(audio)] : [],
    threads: encoderThreads(layout.output, settings.threads),
    start: options.startOffset ?? 0,
    convertsColours: convertsColours(probe, settings),
    mostFrames: format === 'cmaf' ? mostFramesOf(probe, options.frameRate) : options.frameRate,
  };
}

/** Paths of local files. */
interface TranscodeFiles {
  input: string;
  output: string;
  /** A PNG that lies over every frame. */
  overlay?: string | undefined;
}

/** The arguments with which ffmpeg transcodes a video. */
export function transcodeArguments(
  { input, output, overlay }: TranscodeFiles,
  options: VideoOptions,
  probe: VideoProbe,
  settings: CommandSettings,
): string[] {
  const plan = planVideo(options, probe, settings);
  const list: readonly VideoStep<string, unknown>[] = videoSteps;
  const steps = list.map((step) => {
    const value = options[step.name as keyof VideoOptions];
    return {
      input: step.input?.(value, plan) ?? [],
      filters: step.filters?.(value, plan) ?? [],
      output: step.output?.(value, plan) ?? [],
    };
  });
  const filters = [
    ...steadyFrames(probe, plan.layout.output),
    ...layOverBackground(plan, backgroundColourOf(options.background)),
    ...rgbToVideo(plan),
    ...steps.flatMap((step) => step.filters),
  ];
  if (overlay !== undefined) filters.push(overlayFilter(overlay, plan));
  return [
    ...COMMON_ARGUMENTS,
    ...threadArguments('-filter_threads', plan.threads),
    ...decoderArguments(probe, settings),
    ...steadyArguments(probe),
    ...steps.flatMap((step) => step.input),
    ...openingArguments(probe.container, input),
    ...['-map', '0:V:0'],
    // The place and the camera do not reach the public.
    ...['-map_metadata', '-1', '-map_chapters', '-1'],
    ...['-vf', filters.join(',')],
    // Frames keep their times, however irregular. Sound has a time base of its own: at another rate its packets would be lost.
    ...['-fps_mode', 'vfr', '-enc_time_base:v', '-1', '-max_muxing_queue_size', '4096'],
    ...threadArguments('-threads', plan.threads),
    ...steps.flatMap((step) => step.output),
    `file:${output}`,
  ];
}

/** True if the colours of a stream are converted, and can be. */
export function convertsColours(probe: VideoProbe, { canMapTones }: CommandSettings): boolean {
  return canMapTones && needsConversion(probe);
}

/** How the source is decoded: with as many threads as its size allows, and within the limit of pixels. */
export function decoderArguments({ upright, decoder }: VideoProbe, { threads, maxPixels }: CommandSettings): string[] {
  return [
    ...threadArguments('-threads', decoderThreads(upright, threads)),
    ...(decoder === undefined ? [] : ['-c:V:0', decoder]),
    ...(maxPixels === undefined ? [] : ['-max_pixels', String(maxPixels)]),
  ];
}

export function threadArguments(name: '-threads' | '-filter_threads', threads: number | undefined): string[] {
  return threads === undefined ? [] : [name, String(threads)];
}
