import { type Ffmpeg, runFfprobe } from '../ffmpeg/run.ts';
import { openingArguments, type VideoProbe } from '../source/probe.ts';

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
