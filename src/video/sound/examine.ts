import type { Ffmpeg } from '../ffmpeg/run.ts';
import { ImpossibleTranscode } from '../limits.ts';
import { soundContainerOf } from '../source/container.ts';
import { type openingArguments, requireContainer, requireWhole } from '../source/probe.ts';
import { findSound, probeSound } from '../source/probe-sound.ts';
import type { Transcode } from '../transcode.ts';

/** Sound that is there to be read. */
export interface Sound {
  container: Parameters<typeof openingArguments>[0];
  channels: number;
  /** In seconds; undefined where the file does not say. */
  duration: number | undefined;
}

/**
 * Reads what the sound of a video is, or stored sound. A video needs no pictures for it.
 * @param lack what is said of a video without sound
 * @throws UndecodableVideo; ImpossibleTranscode for a video without sound
 */
export async function examineSound(tools: Ffmpeg, { input, source, signal }: Transcode, lack: string): Promise<Sound> {
  if (source === 'sound') {
    const container = await soundContainerOf(input);
    return { container, ...(await probeSound(tools, container, input, signal)) };
  }
  const file = await requireContainer(input);
  requireWhole(file);
  const sound = await findSound(tools, file.container, input, signal);
  if (!sound) throw new ImpossibleTranscode(lack);
  return { ...sound, container: file.container };
}
