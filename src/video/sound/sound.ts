import { evenLoudness, lackOfSound, type SoundCodec, soundArguments } from '../coding/sound.ts';
import type { Ffmpeg } from '../ffmpeg/run.ts';
import { ImpossibleTranscode } from '../limits.ts';
import { UndecodableVideo } from '../source/probe.ts';
import type { VideoOptions } from '../steps/index.ts';
import type { Transcode, VideoSettings } from '../transcode.ts';
import { examineSound } from './examine.ts';
import { readSound } from './read-sound.ts';

/** The formats of sound alone: ffmpeg's names of them, with what a browser needs first at the beginning. */
const CONTAINERS: Readonly<Record<SoundCodec, readonly string[]>> = {
  aac: ['-movflags', '+faststart', '-f', 'ipod'],
  opus: ['-f', 'ogg'],
  mp3: ['-f', 'mp3'],
};

/**
 * Makes the sound alone, of a video or of stored sound.
 * @throws what `transcode` throws; ImpossibleTranscode where there is no sound, or ffmpeg lacks the encoder
 */
export async function makeSound(tools: Ffmpeg, settings: VideoSettings, job: Transcode): Promise<void> {
  const { output, options } = job;
  const codec = codecOf(options);
  const sound = await examineSound(tools, job, 'The video has no sound.');
  const { duration } = sound;
  const { startOffset: start = 0, loudness } = options;
  if (start > 0 && duration !== undefined && start >= duration)
    throw new ImpossibleTranscode(pastTheEnd(start, duration));
  const lack = lackOfSound(codec, tools.libraries);
  if (lack !== undefined) throw new ImpossibleTranscode(lack);
  const filters = loudness ? [evenLoudness(sound)] : [];
  const args = [...soundArguments(codec, sound, filters), ...CONTAINERS[codec], `file:${output}`];
  const { seconds } = await readSound(tools, settings, job, sound, { args });
  if (seconds === 0) throw new UndecodableVideo('No sound can be decoded; it is damaged or incomplete.');
  job.onProgress?.(100);
}

/** The coding of sound alone. @throws TypeError for options that ask for something else */
function codecOf({ audio }: VideoOptions): SoundCodec {
  if (audio === undefined || audio === 'none') throw new TypeError(`Expected a coding of sound, received ${audio}.`);
  return audio;
}

function pastTheEnd(start: number, duration: number): string {
  const seconds = Math.round(duration * 1000) / 1000;
  return `The start offset so_${start} lies past the end of the sound, which lasts ${seconds} s.`;
}
