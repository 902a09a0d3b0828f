import { describeColour, mapTones } from './colour.ts';
import { planVideoLayout } from './geometry.ts';
import { videoFormatOf } from './options.ts';
import { openingArguments, type VideoProbe } from './probe.ts';
import type { VideoPlan, VideoStep } from './step.ts';
import { type VideoOptions, videoSteps } from './steps/index.ts';

/** What the machine decides of a command, not the URL. */
export interface CommandSettings {
  /** Threads of decoder and encoder each; undefined leaves it to ffmpeg. */
  threads?: number | undefined;
  /** Whether ffmpeg has the filters for HDR; without them its colours stay pale. */
  canMapTones: boolean;
  /** The largest frame that is decoded: a stream may grow beyond what its header says. */
  maxPixels?: number | undefined;
}

/** Errors alone on standard error, progress on standard output, what lies in the way overwritten. */
const MANNERS = ['-hide_banner', '-nostdin', '-v', 'error', '-y', '-progress', 'pipe:1', '-stats_period', '0.25'];

/** Everything about the transcode of a video that is settled before ffmpeg starts. */
export function planVideo(options: VideoOptions, probe: VideoProbe, { canMapTones }: CommandSettings): VideoPlan {
  return {
    layout: planVideoLayout(probe, options),
    probe,
    format: videoFormatOf(options),
    start: options.startOffset ?? 0,
    mapsTones: probe.isHdr && canMapTones,
  };
}

/** The arguments with which ffmpeg transcodes `input` into `output`, both paths of local files. */
export function transcodeArguments(
  input: string,
  output: string,
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
  return [
    ...MANNERS,
    ...decoderArguments(settings),
    ...steps.flatMap((step) => step.input),
    ...openingArguments(probe.container, input),
    ...['-map', '0:V:0', ...(probe.audio ? ['-map', '0:a:0'] : [])],
    // Nothing of where and with what it was filmed reaches the public.
    ...['-map_metadata', '-1', '-map_chapters', '-1'],
    ...['-vf', [...describeColour(probe), ...steps.flatMap((step) => step.filters)].join(',')],
    // Frames keep the times that they have, however irregular.
    ...['-fps_mode', 'vfr', '-enc_time_base', '-1', '-max_muxing_queue_size', '4096'],
    ...threadArguments(settings),
    ...steps.flatMap((step) => step.output),
    `file:${output}`,
  ];
}

/**
 * The arguments with which ffmpeg writes the first frame at or after a time as a lossless PNG: upright, in square pixels,
 * SDR. Nothing is written when there is no such frame.
 * @param time seconds from the beginning
 */
export function frameArguments(
  input: string,
  output: string,
  time: number,
  probe: VideoProbe,
  settings: CommandSettings,
): string[] {
  return [...MANNERS, '-ss', time.toFixed(6), ...pictureArguments(input, output, probe, settings, ['-frames:v', '1'])];
}

/** Like `frameArguments`, for the very last frame: everything from the last key frame on, each over the one before. */
export function lastFrameArguments(
  input: string,
  output: string,
  probe: VideoProbe,
  settings: CommandSettings,
): string[] {
  const end = (probe.videoDuration ?? 0).toFixed(6);
  return [...MANNERS, '-noaccurate_seek', '-ss', end, ...pictureArguments(input, output, probe, settings, [])];
}

function pictureArguments(
  input: string,
  output: string,
  probe: VideoProbe,
  settings: CommandSettings,
  frames: string[],
): string[] {
  const { upright, width, height } = probe;
  const isSquare = upright.width === width && upright.height === height;
  const filters = [
    ...describeColour(probe),
    ...(isSquare ? [] : [`scale=${width}:${height}`]),
    'setsar=1',
    ...(probe.isHdr && settings.canMapTones ? mapTones(probe) : []),
  ];
  return [
    ...decoderArguments(settings),
    ...openingArguments(probe.container, input),
    ...[
      '-map',
      '0:V:0',
      '-map_metadata',
      '-1',
      '-vf',
      filters.join(','),
      '-pix_fmt',
      'rgb24',
      '-fps_mode',
      'passthrough',
    ],
    ...frames,
    // Level 1: the picture is read again at once and then thrown away.
    ...['-c:v', 'png', '-compression_level', '1', '-f', 'image2', '-update', '1', `file:${output}`],
  ];
}

function decoderArguments(settings: CommandSettings): string[] {
  const { maxPixels } = settings;
  return [...threadArguments(settings), ...(maxPixels === undefined ? [] : ['-max_pixels', String(maxPixels)])];
}

function threadArguments({ threads }: CommandSettings): string[] {
  return threads === undefined ? [] : ['-threads', String(threads)];
}
