import { rm } from 'node:fs/promises';
import { layOverBackground } from './ffmpeg/background.ts';
import { convertColours, SRGB_TAGS } from './ffmpeg/colour.ts';
import { COMMON_ARGUMENTS, type CommandSettings, convertsColours, decoderArguments } from './ffmpeg/command.ts';
import { blameVideo, FfmpegFailed, noFrame } from './ffmpeg/errors.ts';
import { type Ffmpeg, runFfmpeg } from './ffmpeg/run.ts';
import { steadyArguments, steadyFrames } from './ffmpeg/steady-frames.ts';
import { findKeyFrames, lengthOf } from './source/frame-times.ts';
import { openingArguments, type VideoProbe } from './source/probe.ts';
import { backgroundColourOf } from './steps/background.ts';
import { encodeStill, type StillSettings } from './still.ts';
import { planStoryboard, type StoryboardPlan } from './storyboard-plan.ts';
import { commandSettings, examineVideo, type Transcode, timeLimitOf, type VideoSettings } from './transcode.ts';

/** Seconds up to which a video with few key frames is decoded entirely. */
const SHORT = 30;
/** Minimum share of tiles that have a key frame of their own. */
const ENOUGH = 0.5;

/** Makes the sheet of a storyboard. @throws what `transcode` throws */
export async function makeStoryboard(tools: Ffmpeg, settings: StillSettings, job: Transcode): Promise<void> {
  const { input, output, options, signal } = job;
  const probe = await examineVideo(tools, settings, job);
  const seconds = await lengthOf(tools, input, probe, signal);
  const plan = planStoryboard({ width: probe.width, height: probe.height, seconds }, options.width);
  const png = `${output}.png`;
  const make = (isQuick: boolean) =>
    makeSheet(tools, settings, { ...job, output: png }, { plan, probe, seconds, isQuick });
  try {
    const isQuick = seconds > SHORT || (await hasEnoughKeyFrames(tools, input, probe, plan, signal));
    // Some encoders make no key frame but the first, and some files do not mark them.
    if (!((isQuick && (await make(true))) || (await make(false)))) throw noFrame();
    await encodeStill(settings, job, png);
  } finally {
    await rm(png, { force: true });
  }
  job.onProgress?.(100);
}

async function hasEnoughKeyFrames(
  tools: Ffmpeg,
  input: string,
  probe: VideoProbe,
  { count, interval }: StoryboardPlan,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  const times = await findKeyFrames(tools, input, probe, signal);
  const shown = new Set(times.map((time) => Math.ceil(time / interval)).filter((tile) => tile < count));
  return shown.size >= ENOUGH * count;
}

/** Returns true if a frame was found. */
async function makeSheet(
  tools: Ffmpeg,
  settings: VideoSettings,
  { input, output, signal, onProgress }: Transcode,
  { seconds, ...sheet }: { plan: StoryboardPlan; probe: VideoProbe; seconds: number; isQuick: boolean },
): Promise<boolean> {
  const args = storyboardArguments({ input, output, ...sheet }, commandSettings(tools, settings));
  let seen = 0;
  const end = await runFfmpeg(tools, args, {
    signal,
    niceness: settings.niceness,
    stallMs: settings.stallMs,
    timeoutMs: settings.timeoutMs && timeLimitOf(settings.timeoutMs, seconds),
    onProgress: ({ frames }) => {
      if (frames <= seen) return;
      seen = frames;
      onProgress?.(Math.min(99, Math.floor((100 * frames) / sheet.plan.count)));
    },
  }).catch((cause: unknown) => {
    // Without a frame the graph has no input, which ffmpeg reports as an error.
    if (sheet.isQuick && cause instanceof FfmpegFailed && !cause.signal) return { frames: 0 };
    return blameVideo(cause);
  });
  return end.frames > 0;
}

interface StoryboardCommand {
  /** Paths of local files; the sheet is a PNG. */
  input: string;
  output: string;
  plan: StoryboardPlan;
  probe: VideoProbe;
  /** True if only key frames are decoded. */
  isQuick: boolean;
}

/** Returns the arguments that make the sheet. Each tile counts as a frame, so that progress is visible. */
export function storyboardArguments(
  { input, output, plan, probe, isQuick }: StoryboardCommand,
  settings: CommandSettings,
): string[] {
  const { count, columns, rows } = plan;
  const tiles = [...tileFilters(plan, probe, settings), 'split[seen][kept]'].join(',');
  const graph = `[0:V:0]${tiles};[kept]tile=${columns}x${rows}:nb_frames=${count},${SRGB_TAGS}[sheet]`;
  return [
    ...COMMON_ARGUMENTS,
    // Tiles are small.
    ...(settings.threads === undefined ? [] : ['-filter_complex_threads', '1']),
    ...decoderArguments(probe, settings),
    ...steadyArguments(probe),
    ...(isQuick ? ['-skip_frame', 'nokey'] : []),
    ...openingArguments(probe.container, input),
    ...['-filter_complex', graph],
    ...['-map', '[seen]', '-frames:v', String(count), '-f', 'null', '-'],
    ...['-map', '[sheet]', '-frames:v', '1', '-map_metadata', '-1'],
    // Level 1, because the image is read immediately and then deleted.
    ...['-c:v', 'png', '-compression_level', '1', '-f', 'image2', '-update', '1', `file:${output}`],
  ];
}

/**
 * Returns the filters of the tiles. Each shows the last decoded frame at or before its start; the first shows the first
 * frame.
 */
function tileFilters(
  { tile, count, interval }: StoryboardPlan,
  probe: VideoProbe,
  settings: CommandSettings,
): string[] {
  const milliseconds = Math.round(1000 * count * interval);
  const plan = { probe, convertsColours: convertsColours(probe, settings) };
  const isConverted = plan.convertsColours && !probe.hasAlpha;
  return [
    ...steadyFrames(probe, undefined, 'distant'),
    // Rounded up: a frame belongs to the first tile that starts at or after it.
    ...(milliseconds > 0 ? [`fps=fps=${1000 * count}/${milliseconds}:round=up:start_time=0`] : []),
    ...layOverBackground(plan, backgroundColourOf(undefined)),
    `scale=${tile.width}:${tile.height}`,
    'setsar=1',
    ...(isConverted ? convertColours(probe, tile, 'gbrp') : []),
    'format=rgb24',
    // The last frame fills the remaining tiles.
    'tpad=stop=-1:stop_mode=clone',
    `trim=end_frame=${count}`,
  ];
}
