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

/** Parts of a command that the host decides, not the URL. */
export interface CommandSettings {
  /** Threads for each of decoder, filters and encoder; undefined leaves it to ffmpeg. */
  threads?: number | undefined;
  /** True if ffmpeg has the filters for HDR and wide primaries; without them colours stay pale. */
  canMapTones: boolean;
  /** Largest decoded frame: a stream may exceed the size in its header. */
  maxPixels?: number | undefined;
}

const manners = '-hide_banner -nostdin -v error -y -progress pipe:1 -stats_period 0.25';
/** Errors only on standard error, progress on standard output; overwrites existing files. */
export const COMMON_ARGUMENTS: readonly string[] = manners.split(' ');

/** Decides everything about a transcode before ffmpeg starts. */
export function planVideo(options: VideoOptions, probe: VideoProbe, settings: CommandSettings): VideoPlan {
  const layout = planVideoLayout(probe, options);
  const format = videoFormatOf(options);
  const audio = options.audio === 'none' || format === 'cmaf' ? undefined : probe.audio;
  return {
    layout,
    probe,
    format,
    codec: options.codec ?? defaultCodec(format),
    audio,
    audioFilters: audio && options.loudness ? [evenLoudness(audio)] : [],
    threads: encoderThreads(layout.output, settings.threads),
    start: options.startOffset ?? 0,
    convertsColours: convertsColours(probe, settings),
    mostFrames: format === 'cmaf' ? mostFramesOf(probe, options.frameRate) : options.frameRate,
  };
}

/** Paths of local files. */
interface SourceFiles {
  input: string;
  /** PNG drawn over every frame. */
  overlay?: string | undefined;
}

/** A file to encode. */
export interface Encoded {
  output: string;
  options: VideoOptions;
}

/** Returns the arguments of a transcode. */
export function transcodeArguments(
  { input, output, overlay }: SourceFiles & Pick<Encoded, 'output'>,
  options: VideoOptions,
  probe: VideoProbe,
  settings: CommandSettings,
): string[] {
  return sharedArguments({ input, overlay }, [{ output, options }], probe, settings);
}

/**
 * Returns the arguments of one process that decodes a video once and encodes it several times, each time as
 * `transcodeArguments` would. The results do not share the threads, because their number changes the bytes of H.264.
 * @param results the same part of the video, and at least one
 */
export function sharedArguments(
  { input, overlay }: SourceFiles,
  results: readonly Encoded[],
  probe: VideoProbe,
  settings: CommandSettings,
): string[] {
  const encodes = results.map(({ output, options }) => {
    const plan = planVideo(options, probe, settings);
    const steps = applySteps(options, plan);
    return { output, plan, steps, filters: filtersOf(options, plan, steps, overlay) };
  });
  const isShared = encodes.length > 1;
  const threads = encodes.flatMap(({ plan }) => plan.threads ?? []);
  const filterThreads = threads.length > 0 ? Math.max(...threads) : undefined;
  return [
    ...COMMON_ARGUMENTS,
    ...threadArguments(isShared ? '-filter_complex_threads' : '-filter_threads', filterThreads),
    ...decoderArguments(probe, settings),
    ...steadyArguments(probe),
    ...(encodes[0]?.steps.flatMap((step) => step.input) ?? []),
    ...openingArguments(probe.container, input),
    ...(isShared ? ['-filter_complex', splitGraph(encodes.map(({ filters }) => filters))] : []),
    ...encodes.flatMap(({ output, plan, steps, filters }, n) => [
      ...['-map', isShared ? `[result${n}]` : '0:V:0'],
      // Drop tags: location and camera must not be published.
      ...['-map_metadata', '-1', '-map_chapters', '-1'],
      ...(isShared ? [] : ['-vf', filters.join(',')]),
      // Frames keep their times, however irregular. Audio has its own time base: at another rate its packets would be
      // lost.
      ...['-fps_mode', 'vfr', '-enc_time_base:v', '-1', '-max_muxing_queue_size', '4096'],
      ...threadArguments('-threads', plan.threads),
      ...steps.flatMap((step) => step.output),
      `file:${output}`,
    ]),
  ];
}

/** Returns a graph that turns frames upright, and runs the filters that all results begin with, only once. */
function splitGraph(lists: readonly (readonly string[])[]): string {
  const [first = []] = lists;
  const differing = first.findIndex((filter, n) => lists.some((list) => list[n] !== filter));
  const common = differing < 0 ? first : first.slice(0, differing);
  const frames = lists.map((_, n) => `[frames${n}]`).join('');
  const branches = lists.map((list, n) => {
    const own = list.slice(common.length);
    return `[frames${n}]${own.length > 0 ? own.join(',') : 'null'}[result${n}]`;
  });
  return [`[0:V:0]${[...common, `split=${lists.length}`].join(',')}${frames}`, ...branches].join(';');
}

/** Arguments of one step. */
interface StepArguments {
  input: string[];
  filters: string[];
  output: string[];
}

function applySteps(options: VideoOptions, plan: VideoPlan): StepArguments[] {
  const list: readonly VideoStep<string, unknown>[] = videoSteps;
  return list.map((step) => {
    const value = options[step.name as keyof VideoOptions];
    return {
      input: step.input?.(value, plan) ?? [],
      filters: step.filters?.(value, plan) ?? [],
      output: step.output?.(value, plan) ?? [],
    };
  });
}

function filtersOf(
  { background }: VideoOptions,
  plan: VideoPlan,
  steps: readonly StepArguments[],
  overlay: string | undefined,
): string[] {
  return [
    ...steadyFrames(plan.probe, plan.layout.output),
    ...layOverBackground(plan, backgroundColourOf(background)),
    ...rgbToVideo(plan),
    ...steps.flatMap((step) => step.filters),
    ...(overlay === undefined ? [] : [overlayFilter(overlay, plan)]),
  ];
}

/** True if the colours of a stream need conversion and ffmpeg can convert them. */
export function convertsColours(probe: VideoProbe, { canMapTones }: CommandSettings): boolean {
  return canMapTones && needsConversion(probe);
}

/** Returns decoder arguments: threads by frame size, and the pixel limit. */
export function decoderArguments({ upright, decoder }: VideoProbe, { threads, maxPixels }: CommandSettings): string[] {
  return [
    ...threadArguments('-threads', decoderThreads(upright, threads)),
    ...(decoder === undefined ? [] : ['-c:V:0', decoder]),
    ...(maxPixels === undefined ? [] : ['-max_pixels', String(maxPixels)]),
  ];
}

export function threadArguments(
  name: '-threads' | '-filter_threads' | '-filter_complex_threads',
  threads: number | undefined,
): string[] {
  return threads === undefined ? [] : [name, String(threads)];
}
