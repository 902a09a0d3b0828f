import { MANNERS } from '../command.ts';
import { blameSound } from '../ffmpeg/blame.ts';
import { type Ffmpeg, type FfmpegProgress, runFfmpeg } from '../ffmpeg/run.ts';
import { openingArguments } from '../source/probe.ts';
import { percentReporter, type Transcode, timeLimitOf, type VideoSettings } from '../transcode.ts';
import type { Sound } from './examine.ts';

/** What becomes of sound that is read. */
export interface SoundOutput {
  /** ffmpeg's arguments. */
  args: readonly string[];
  /** Takes what ffmpeg writes to `pipe:3`. */
  onData?: (chunk: Buffer) => void;
}

/**
 * Reads the sound of a file alone, from `so` to `eo`, within the limits of a job.
 * @returns how far it came
 * @throws what `transcode` throws
 */
export function readSound(
  tools: Ffmpeg,
  { niceness, stallMs, timeoutMs }: VideoSettings,
  { input, options, signal, onProgress }: Transcode,
  { container, index, duration = Number.POSITIVE_INFINITY }: Sound,
  { args, onData }: SoundOutput,
): Promise<FfmpegProgress> {
  const { startOffset: start = 0, endOffset = Number.POSITIVE_INFINITY } = options;
  const end = Math.min(endOffset, duration);
  const all = [
    ...[...MANNERS, '-threads', '1'],
    ...(start > 0 ? ['-ss', String(start)] : []),
    ...openingArguments(container, input),
    // A cover is not sound, and names and places do not reach the public. In Ogg they are those of the stream.
    ...['-map', `0:${index}`, '-map_metadata', '-1', '-map_metadata:s', '-1', '-map_chapters', '-1'],
    ...(endOffset === Number.POSITIVE_INFINITY ? [] : ['-t', (endOffset - start).toFixed(3)]),
    ...args,
  ];
  return runFfmpeg(tools, all, {
    ...{ signal, niceness, stallMs, onData },
    timeoutMs: timeoutMs && timeLimitOf(timeoutMs, Number.isFinite(duration) ? duration : undefined),
    onProgress: percentReporter(end === Number.POSITIVE_INFINITY ? undefined : end - start, onProgress),
  }).catch(blameSound);
}
