import type { Ffmpeg } from '../ffmpeg/run.ts';
import { ImpossibleTranscode } from '../limits.ts';
import type { AnyContainer } from '../source/container.ts';
import { requireContainer, requireWhole } from '../source/probe.ts';
import { findSound, probeSound } from '../source/probe-sound.ts';
import type { SoundTrack } from '../source/sound-track.ts';
import type { Transcode } from '../transcode.ts';

/** Sound that is there to be read. */
export interface Sound extends SoundTrack {
  container: AnyContainer;
  /** In seconds; undefined where the file does not say. */
  duration: number | undefined;
}

/**
 * Reads what the sound of a video is, or stored sound. A video needs no pictures for it.
 * @param lack what is said of a video without sound
 * @throws UndecodableVideo; ImpossibleTranscode for a video without sound
 */
export async function examineSound(tools: Ffmpeg, { input, source, signal }: Transcode, lack: string): Promise<Sound> {
  if (source === 'sound') return probeSound(tools, input, signal);
  const file = await requireContainer(input);
  requireWhole(file);
  const sound = await findSound(tools, file, input, signal);
  if (!sound) throw new ImpossibleTranscode(lack);
  return sound;
}
