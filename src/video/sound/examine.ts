import type { Ffmpeg } from '../ffmpeg/run.ts';
import { ImpossibleTranscode } from '../limits.ts';
import { soundContainerOf } from '../source/container.ts';
import type { openingArguments } from '../source/probe.ts';
import { probeSound } from '../source/probe-sound.ts';
import { examineVideo, type Transcode, type VideoSettings } from '../transcode.ts';

/** Sound that is there to be read. */
export interface Sound {
  container: Parameters<typeof openingArguments>[0];
  channels: number;
  /** In seconds; undefined where the file does not say. */
  duration: number | undefined;
}

/**
 * Reads what the sound of a video is, or stored sound.
 * @param lack what is said of a video without sound
 * @throws what `examineVideo` throws; ImpossibleTranscode where there is no sound
 */
export async function examineSound(
  tools: Ffmpeg,
  settings: VideoSettings,
  job: Transcode,
  lack: string,
): Promise<Sound> {
  if (job.source === 'sound') return soundIn(tools, job);
  const { container, audio, duration } = await examineVideo(tools, settings, job);
  if (!audio) throw new ImpossibleTranscode(lack);
  return { container, channels: audio.channels, duration };
}

async function soundIn(tools: Ffmpeg, { input, signal }: Transcode): Promise<Sound> {
  const container = await soundContainerOf(input);
  const { channels, duration } = await probeSound(tools, container, input, signal);
  return { container, channels, duration };
}
