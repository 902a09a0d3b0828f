import { type Ffmpeg, runFfprobe } from '../ffmpeg/run.ts';
import { openingArguments, type VideoProbe } from './probe.ts';

/**
 * Seconds: reading starts at a key frame this long before the time. Starting at a key frame on that very time would
 * yield nothing.
 */
const MARGIN = 1;

/**
 * Returns the time of the last frame in seconds, from the index and the packets after the last key frame.
 * @param before upper bound in seconds; the end of the video by default
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
  // One millisecond earlier, so that rounding does not skip it.
  return last === Number.NEGATIVE_INFINITY ? undefined : Math.max(0, last - startTime - 0.001);
}

/** Returns the times of key frames, in seconds. Reads every packet and decodes none: for short videos. */
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

/** Returns the length of the video stream in seconds: as the file states it, or else the time of the last frame. */
export async function lengthOf(
  tools: Ffmpeg,
  input: string,
  probe: VideoProbe,
  signal: AbortSignal | undefined,
): Promise<number> {
  return probe.videoDuration ?? (await findLastFrame(tools, input, probe, signal)) ?? 0;
}
