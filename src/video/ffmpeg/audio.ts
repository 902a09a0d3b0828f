import type { AudioTrack } from '../source/audio-track.ts';

export type AudioCodec = 'aac' | 'opus' | 'mp3';

/** Arguments except those for the channels. */
const CODINGS: Readonly<Record<AudioCodec, readonly string[]>> = {
  aac: ['-c:a', 'aac', '-b:a', '128k'],
  opus: ['-c:a', 'libopus', '-b:a', '112k'],
  mp3: ['-c:a', 'libmp3lame', '-b:a', '128k'],
};

/** External libraries of encoders. */
const LIBRARIES: Readonly<Partial<Record<AudioCodec, string>>> = { opus: 'libopus', mp3: 'libmp3lame' };

/** Describes the missing encoder library; undefined if ffmpeg has it. */
export function describeMissingAudioLibrary(codec: AudioCodec, libraries: ReadonlySet<string>): string | undefined {
  const library = LIBRARIES[codec];
  if (library === undefined || libraries.has(library)) return undefined;
  return `The server cannot encode ${codec.toUpperCase()}: its ffmpeg was built without ${library}.`;
}

export type Channels = Pick<AudioTrack, 'channels' | 'layout'>;

/** Most channels with a default order, by which they are mixed if the file names no layout. */
const MOST_GUESSED = 8;

/**
 * Returns the encoder arguments. More than two channels are mixed down: some players and encoders reject some layouts.
 * @param filters applied after the mix
 */
export function audioArguments(codec: AudioCodec, audio: Channels, filters: readonly string[] = []): string[] {
  const chain = [...firstChannels(audio), ...filters];
  return [
    ...CODINGS[codec],
    ...(audio.channels > 2 ? ['-ac', '2'] : []),
    ...(chain.length > 0 ? ['-af', chain.join(',')] : []),
  ];
}

/** Takes the first two of many channels without a layout, as Web Audio does: ffmpeg cannot mix them. */
function firstChannels({ channels, layout }: Channels): string[] {
  return layout === undefined && channels > MOST_GUESSED ? ['pan=stereo|c0=c0|c1=c1'] : [];
}

/**
 * Returns a chain of filters that normalizes loudness (EBU R128, -16 LUFS). The mix comes first: fewer channels are
 * less loud. The filter works at 192 kHz, which some encoders reject, so the rate is reduced afterwards.
 */
export function evenLoudness({ channels }: Channels): string {
  const layout = `aformat=channel_layouts=${channels === 1 ? 'mono' : 'stereo'}`;
  return [layout, 'loudnorm=I=-16:TP=-1.5:LRA=11', 'aresample=48000', layout].join(',');
}
