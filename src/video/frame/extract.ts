import { rm } from 'node:fs/promises';
import { blameVideo, noFrame } from '../ffmpeg/blame.ts';
import { type Ffmpeg, runFfmpeg } from '../ffmpeg/run.ts';
import { checkInput } from '../limits.ts';
import { probeVideo, type VideoProbe } from '../source/probe.ts';
import { commandSettings, type VideoSettings } from '../transcode.ts';
import { developArguments, frameArguments, lastFrameArguments, rawFrameArguments } from './command.ts';
import { findLastFrame } from './last-frame.ts';

export interface FrameExtraction {
  /** Local files; the output is overwritten. */
  input: string;
  output: string;
  /** Seconds. */
  time: number;
  signal?: AbortSignal | undefined;
}

/**
 * Examines a video before frames are taken out of it.
 * @throws UndecodableVideo, ImpossibleTranscode when its frames are over a limit, or the signal's reason
 */
export async function probeFrames(
  tools: Ffmpeg,
  { limits }: VideoSettings,
  input: string,
  signal?: AbortSignal,
): Promise<VideoProbe> {
  const probe = await probeVideo(tools, input, signal);
  checkInput(probe.upright, limits.inputPixels);
  return probe;
}

/**
 * Writes one frame of a video as a lossless PNG: the first at or after the time, past the end the last one.
 * @param probe what `probeFrames` found
 * @throws UndecodableVideo, ImpossibleTranscode when it takes too much memory, NoRoom, or the signal's reason
 */
export async function extractFrame(
  tools: Ffmpeg,
  settings: VideoSettings,
  probe: VideoProbe,
  { input, output, time, signal }: FrameExtraction,
): Promise<void> {
  const source = { probe, settings: commandSettings(tools, settings) };

  async function run(args: string[]): Promise<boolean> {
    const { frames } = await runFfmpeg(tools, args, { signal, stallMs: settings.stallMs }).catch(blameVideo);
    return frames > 0;
  }

  /** Whether there is a frame at that time. */
  async function write(at: number): Promise<boolean> {
    if (!probe.isHdr || !tools.canMapTones) return run(frameArguments({ input, output }, at, source));
    // Decoder and filters run one after the other, because together they need twice the memory.
    const raw = `${output}.nut`;
    try {
      const isThere = await run(rawFrameArguments({ input, output: raw }, at, source));
      return isThere && (await run(developArguments({ input: raw, output }, source)));
    } finally {
      await rm(raw, { force: true });
    }
  }

  const isPastEnd = time >= (probe.videoDuration ?? Number.POSITIVE_INFINITY);
  if (!isPastEnd && (await write(time))) return;
  const lastTime = await findLastFrame(tools, input, probe, signal);
  if (lastTime !== undefined && (await write(lastTime))) return;
  if (await run(lastFrameArguments({ input, output }, source))) return;
  throw noFrame();
}
