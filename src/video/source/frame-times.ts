import { type Ffmpeg, runFfprobe } from '../ffmpeg/run.ts';
import { openingArguments, type VideoProbe } from './probe.ts';

/** Seconds: packets are read from a key frame so long before a time on. From one at that very time there would be none to read. */
const MARGIN = 1;

/**
 * Seconds from the beginning to the last frame, read from the index and the packets after the last key frame alone.
 * @param before the time that the frame is to lie before, in seconds; the end of the video without it
 */
export async function findLastFrame(
  tools: Ffmpeg,
  input: string,
  { container, startTime, videoDuration }: VideoProbe,
  signal: AbortSignal | undefined,
  before?: number,
): Promise<number | undefined> {
  const interval =
    before === undefined
      ? `${startTime + (videoDuration ?? 0)}%`
      : `${startTime + Math.max(0, before - MARGIN)}%${startTime + before}`;
  const text = await runFfprobe(
    tools,
    [
      ...['-v', 'error', '-select_streams', 'V:0', '-read_intervals', interval],
      ...['-show_entries', 'packet=pts_time', '-of', 'csv=p=0'],
      ...openingArguments(container, input),
    ],
    signal,
  ).catch(() => '');
  signal?.throwIfAborted();
  // A loop, because a long video has more frames than a call may have arguments.
  let last = Number.NEGATIVE_INFINITY;
  for (const line of text.split('\n')) last = Math.max(last, Number.parseFloat(line) || Number.NEGATIVE_INFINITY);
  // A millisecond before, so that rounding does not skip it.
  return last === Number.NEGATIVE_INFINITY ? undefined : Math.max(0, last - startTime - 0.001);
}

/** The times of key frames, in seconds from the beginning. Every packet is read, none decoded: for short videos. */
export async function findKeyFrames(
  tools: Ffmpeg,
  input: string,
  { container, startTime }: VideoProbe,
  signal: AbortSignal | undefined,
): Promise<number[]> {
  const entries = ['-show_entries', 'packet=pts_time,flags', '-of', 'csv=p=0'];
  const args = ['-v', 'error', '-select_streams', 'V:0', ...entries, ...openingArguments(container, input)];
  const text = await runFfprobe(tools, args, signal).catch(() => '');
  signal?.throwIfAborted();
  const packets = text.split('\n').map((line) => line.split(','));
  const times = packets.filter(([, flags = '']) => flags.includes('K')).map(([time = '']) => Number.parseFloat(time));
  return times.filter(Number.isFinite).map((time) => Math.max(0, time - startTime));
}

/** The length of the picture in seconds: what the file says, or else where its last frame is. */
export async function lengthOf(
  tools: Ffmpeg,
  input: string,
  probe: VideoProbe,
  signal: AbortSignal | undefined,
): Promise<number> {
  return probe.videoDuration ?? (await findLastFrame(tools, input, probe, signal)) ?? 0;
}
