import type { Ffmpeg } from '../ffmpeg/run.ts';
import type { VideoProbe } from '../source/probe.ts';
import { findLastFrame } from './last-frame.ts';

/** The length of the picture in seconds: what the file says, or else where its last frame is. */
export async function lengthOf(
  tools: Ffmpeg,
  input: string,
  probe: VideoProbe,
  signal: AbortSignal | undefined,
): Promise<number> {
  return probe.videoDuration ?? (await findLastFrame(tools, input, probe, signal)) ?? 0;
}
