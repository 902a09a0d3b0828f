import { evenLoudness, lackOfSound, type SoundCodec, soundArguments } from '../coding/sound.ts';
import { MANNERS } from '../command.ts';
import { blameVideo } from '../ffmpeg/blame.ts';
import { type Ffmpeg, runFfmpeg } from '../ffmpeg/run.ts';
import { ImpossibleTranscode } from '../limits.ts';
import { openingArguments, UndecodableVideo } from '../source/probe.ts';
import type { VideoOptions } from '../steps/index.ts';
import { percentReporter, type Transcode, timeLimitOf, type VideoSettings } from '../transcode.ts';
import { examineSound, type Sound } from './examine.ts';

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
  const { options, signal, onProgress } = job;
  const codec = codecOf(options);
  const sound = await examineSound(tools, settings, job, 'The video has no sound.');
  const { duration } = sound;
  const { startOffset: start = 0, endOffset } = options;
  if (start > 0 && duration !== undefined && start >= duration)
    throw new ImpossibleTranscode(pastTheEnd(start, duration));
  const lack = lackOfSound(codec, tools.libraries);
  if (lack !== undefined) throw new ImpossibleTranscode(lack);
  const end = Math.min(endOffset ?? Number.POSITIVE_INFINITY, duration ?? Number.POSITIVE_INFINITY);
  const { niceness, stallMs, timeoutMs } = settings;
  const { seconds } = await runFfmpeg(tools, argumentsFor(job, codec, sound), {
    ...{ signal, niceness, stallMs },
    timeoutMs: timeoutMs && timeLimitOf(timeoutMs, duration),
    onProgress: percentReporter(end === Number.POSITIVE_INFINITY ? undefined : end - start, onProgress),
  }).catch(blameVideo);
  if (seconds === 0) throw new UndecodableVideo('No sound can be decoded; it is damaged or incomplete.');
  onProgress?.(100);
}

/** The coding of sound alone. @throws TypeError for options that ask for something else */
function codecOf({ audio }: VideoOptions): SoundCodec {
  if (audio === undefined || audio === 'none') throw new TypeError(`Expected a coding of sound, received ${audio}.`);
  return audio;
}

function argumentsFor(
  { input, output, options }: Transcode,
  codec: SoundCodec,
  { container, channels }: Sound,
): string[] {
  const { startOffset: start = 0, endOffset, loudness } = options;
  return [
    ...[...MANNERS, '-threads', '1'],
    ...(start > 0 ? ['-ss', String(start)] : []),
    ...openingArguments(container, input),
    // A cover is not sound, and names and places do not reach the public. In Ogg they are those of the stream.
    ...['-map', '0:a:0', '-map_metadata', '-1', '-map_metadata:s', '-1', '-map_chapters', '-1'],
    ...(endOffset === undefined ? [] : ['-t', (endOffset - start).toFixed(3)]),
    ...(loudness ? ['-af', evenLoudness(channels)] : []),
    ...[...soundArguments(codec, channels), ...CONTAINERS[codec], `file:${output}`],
  ];
}

function pastTheEnd(start: number, duration: number): string {
  const seconds = Math.round(duration * 1000) / 1000;
  return `The start offset so_${start} lies past the end of the sound, which lasts ${seconds} s.`;
}
