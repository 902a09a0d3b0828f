import { rm } from 'node:fs/promises';
import { blameVideo, noFrame } from '../ffmpeg/blame.ts';
import { FfmpegFailed } from '../ffmpeg/errors.ts';
import { type Ffmpeg, runFfmpeg } from '../ffmpeg/run.ts';
import { findKeyFrames } from '../frame/key-frames.ts';
import { lengthOf } from '../frame/length.ts';
import type { VideoProbe } from '../source/probe.ts';
import { encodeStill, type StillSettings } from '../still.ts';
import { commandSettings, examineVideo, type Transcode, timeLimitOf, type VideoSettings } from '../transcode.ts';
import { storyboardArguments } from './command.ts';
import { planStoryboard, type StoryboardPlan } from './plan.ts';

/** Up to this length, in seconds, a video with few key frames is decoded as a whole. */
const SHORT = 30;
/** The least share of tiles that have a key frame of their own. */
const ENOUGH = 0.5;

/**
 * Makes the sheet of a storyboard.
 * @throws what `transcode` throws
 */
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
    // Some encoders make no key frame but the first, and not every file says which they are.
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

/** Whether there was a frame to show. */
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
    // Without a frame there is nothing to put together, and ffmpeg calls that an error.
    if (sheet.isQuick && cause instanceof FfmpegFailed && !cause.signal) return { frames: 0 };
    return blameVideo(cause);
  });
  return end.frames > 0;
}
