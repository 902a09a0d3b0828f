import { MANNERS } from '../command.ts';
import { blameVideo } from '../ffmpeg/blame.ts';
import { type Ffmpeg, runFfmpeg } from '../ffmpeg/run.ts';
import { ImpossibleTranscode } from '../limits.ts';
import { openingArguments, probeVideo, UndecodableVideo, type VideoProbe } from '../source/probe.ts';
import type { VideoOptions } from '../steps/index.ts';
import { expectedSeconds, percentReporter, type Transcode, timeLimitOf, type VideoSettings } from '../transcode.ts';
import { SOUND_FRAGMENTS } from './rung.ts';

/**
 * Makes the sound of a stream, which all rungs share.
 * @throws what `transcode` throws; ImpossibleTranscode for a video without sound
 */
export async function makeSoundRung(tools: Ffmpeg, settings: VideoSettings, job: Transcode): Promise<void> {
  const { input, options, signal } = job;
  const probe = await probeVideo(tools, input, signal);
  if (probe.isCutShort) throw new UndecodableVideo('The file ends too early; a part of the video is missing.');
  if (!probe.audio) throw new ImpossibleTranscode('The video has no sound.');
  const length = expectedSeconds(probe, options.startOffset ?? 0, options.endOffset);
  const { niceness, stallMs, timeoutMs } = settings;
  const end = await runFfmpeg(tools, soundArguments(job, options, probe), {
    ...{ signal, niceness, stallMs, onProgress: percentReporter(length, job.onProgress) },
    timeoutMs: timeoutMs === undefined ? undefined : timeLimitOf(timeoutMs, probe.duration),
  }).catch(blameVideo);
  if (end.seconds === 0) throw new UndecodableVideo('There is no sound that can be decoded at this time.');
  job.onProgress?.(100);
}

/** The arguments with which ffmpeg makes it. */
export function soundArguments(
  { input, output }: Pick<Transcode, 'input' | 'output'>,
  { startOffset = 0, endOffset }: VideoOptions,
  probe: VideoProbe,
): string[] {
  return [
    ...MANNERS,
    ...(startOffset > 0 ? ['-ss', String(startOffset)] : []),
    ...openingArguments(probe.container, input),
    ...['-map', '0:a:0', '-map_metadata', '-1', '-map_chapters', '-1'],
    ...((probe.audio?.channels ?? 0) > 2 ? ['-ac', '2'] : []),
    ...(endOffset === undefined ? [] : ['-t', (endOffset - startOffset).toFixed(3)]),
    ...SOUND_FRAGMENTS,
    `file:${output}`,
  ];
}
