import type { AudioTrack } from '../source/audio-track.ts';

/** How sound is coded. */
export type AudioCodec = 'aac' | 'opus' | 'mp3';

/** ffmpeg's arguments beside those for the channels. */
const CODINGS: Readonly<Record<AudioCodec, readonly string[]>> = {
  aac: ['-c:a', 'aac', '-b:a', '128k'],
  opus: ['-c:a', 'libopus', '-b:a', '112k'],
  mp3: ['-c:a', 'libmp3lame', '-b:a', '128k'],
};

/** The libraries that bring the encoders which are not ffmpeg's own. */
const LIBRARIES: Readonly<Partial<Record<AudioCodec, string>>> = { opus: 'libopus', mp3: 'libmp3lame' };

/** Why ffmpeg cannot code sound so, in words; undefined when it can. */
export function describeMissingAudioLibrary(codec: AudioCodec, libraries: ReadonlySet<string>): string | undefined {
  const library = LIBRARIES[codec];
  if (library === undefined || libraries.has(library)) return undefined;
  return `The server makes no ${codec.toUpperCase()}: its ffmpeg was built without ${library}.`;
}

/** The channels of sound. */
export type Channels = Pick<AudioTrack, 'channels' | 'layout'>;

/** Up to so many channels have a usual order, by which they are mixed where the file names none. */
const MOST_GUESSED = 8;

/**
 * Writes the arguments that code sound. More than two channels are mixed down: not every player and not every encoder takes every layout.
 * @param filters what sound passes through after that
 */
export function audioArguments(codec: AudioCodec, audio: Channels, filters: readonly string[] = []): string[] {
  const chain = [...firstChannels(audio), ...filters];
  return [
    ...CODINGS[codec],
    ...(audio.channels > 2 ? ['-ac', '2'] : []),
    ...(chain.length > 0 ? ['-af', chain.join(',')] : []),
  ];
}

/** Takes the first two of many channels without an order, as Web Audio does with such: ffmpeg has no way to mix them. */
function firstChannels({ channels, layout }: Channels): string[] {
  return layout === undefined && channels > MOST_GUESSED ? ['pan=stereo|c0=c0|c1=c1'] : [];
}

/**
 * The filter that makes sound as loud as that of others (EBU R128, -16 LUFS). It works at 192 kHz, which not every encoder takes, and
 * is what a mix is made before: fewer channels are less loud.
 */
export function evenLoudness({ channels }: Channels): string {
  const layout = `aformat=channel_layouts=${channels === 1 ? 'mono' : 'stereo'}`;
  return [layout, 'loudnorm=I=-16:TP=-1.5:LRA=11', 'aresample=48000', layout].join(',');
}
