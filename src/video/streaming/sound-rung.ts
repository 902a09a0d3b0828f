import { soundArguments } from '../coding/sound.ts';
import type { Ffmpeg } from '../ffmpeg/run.ts';
import { ImpossibleTranscode } from '../limits.ts';
import { readSound } from '../sound/read-sound.ts';
import { probeVideo, requireWhole, UndecodableVideo } from '../source/probe.ts';
import { checkStart, type Transcode, type VideoSettings } from '../transcode.ts';
import { SOUND_FRAGMENTS, WITHOUT_GAPS } from './rung.ts';

/**
 * Makes the sound of a stream, which all rungs share.
 * @throws what `transcode` throws; ImpossibleTranscode for a video without sound
 */
export async function makeSoundRung(tools: Ffmpeg, settings: VideoSettings, job: Transcode): Promise<void> {
  const probe = await probeVideo(tools, job.input, job.signal);
  requireWhole(probe);
  if (!probe.audio) throw new ImpossibleTranscode('The video has no sound.');
  checkStart(probe, job.options.startOffset ?? 0);
  const { container, duration, audio } = probe;
  const args = [...soundArguments('aac', audio, [WITHOUT_GAPS]), ...SOUND_FRAGMENTS, `file:${job.output}`];
  const { seconds } = await readSound(tools, settings, job, { ...audio, container, duration }, { args });
  if (seconds === 0) throw new UndecodableVideo('There is no sound that can be decoded at this time.');
  job.onProgress?.(100);
}
