/** How sound is coded. */
export type SoundCodec = 'aac' | 'opus' | 'mp3';

/** ffmpeg's arguments beside those for the channels. */
const CODINGS: Readonly<Record<SoundCodec, readonly string[]>> = {
  aac: ['-c:a', 'aac', '-b:a', '128k'],
  opus: ['-c:a', 'libopus', '-b:a', '112k'],
  mp3: ['-c:a', 'libmp3lame', '-b:a', '128k'],
};

/** The libraries that bring the encoders which are not ffmpeg's own. */
const LIBRARIES: Readonly<Partial<Record<SoundCodec, string>>> = { opus: 'libopus', mp3: 'libmp3lame' };

/** Why ffmpeg cannot code sound so, in words; undefined when it can. */
export function lackOfSound(codec: SoundCodec, libraries: ReadonlySet<string>): string | undefined {
  const library = LIBRARIES[codec];
  if (library === undefined || libraries.has(library)) return undefined;
  return `The server makes no ${codec.toUpperCase()}: its ffmpeg was built without ${library}.`;
}

/** Arguments that code sound. More than two channels are mixed down: not every player and not every encoder takes every layout. */
export function soundArguments(codec: SoundCodec, channels: number): string[] {
  return [...CODINGS[codec], ...(channels > 2 ? ['-ac', '2'] : [])];
}

/**
 * The filter that makes sound as loud as that of others (EBU R128, -16 LUFS). It works at 192 kHz, which not every encoder takes, and
 * is what a mix is made before: fewer channels are less loud.
 */
export function evenLoudness(channels: number): string {
  const layout = `aformat=channel_layouts=${channels === 1 ? 'mono' : 'stereo'}`;
  return [layout, 'loudnorm=I=-16:TP=-1.5:LRA=11', 'aresample=48000', layout].join(',');
}
