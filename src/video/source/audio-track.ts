import { type Ffmpeg, runFfprobe } from '../ffmpeg/run.ts';
import type { AnyContainer } from './container.ts';

/** Most channels that ffmpeg can mix. */
const MOST_CHANNELS = 64;
/** Most tracks that are partly decoded before one is chosen. */
const MOST_TRIALS = 8;
const TRIED_PACKETS = 32;

export interface AudioTrack {
  /** Position among all streams of the file. */
  index: number;
  codec: string;
  channels: number;
  /** Channel layout as ffmpeg names it, such as `5.1(side)`; undefined if the file names none. */
  layout: string | undefined;
}

/** Fields of an ffprobe stream that decide which audio track is chosen. */
export interface RawAudio {
  index?: number;
  /** In MP4 the track ID, in hexadecimal digits after `0x`. */
  id?: string;
  codec_type?: string;
  codec_name?: string;
  codec_tag_string?: string;
  sample_fmt?: string;
  sample_rate?: string;
  channels?: number;
  channel_layout?: string;
  disposition?: { default?: number };
}

/** Fields that ffprobe has to write for `chooseAudio`. */
export const AUDIO_ENTRIES = [
  'stream=index,id,codec_type,codec_name,codec_tag_string,sample_fmt,sample_rate,channels,channel_layout',
  'stream_disposition=default',
];

/** File in which a track is chosen. */
interface AudioFile {
  /** Arguments that open the file. */
  opening: readonly string[];
  container: AnyContainer;
  /** IDs of tracks that are not part of the movie. */
  hiddenTracks: readonly number[];
}

/**
 * Chooses the first audio track that can be decoded. In MP4 and MOV enabled tracks come first, and those that are not
 * part of the movie last. Matroska's flag is only a preference, which browsers ignore.
 */
export async function chooseAudio<T extends RawAudio>(
  tools: Ffmpeg,
  source: AudioFile,
  streams: readonly T[],
  signal: AbortSignal | undefined,
): Promise<T | undefined> {
  const tracks = audioStreamsOf(streams).filter(hasDecoder);
  if (source.container === 'mov') tracks.sort((a, b) => rankOf(a, source) - rankOf(b, source));
  // A single track needs no trial: a decoding error surfaces later.
  if (tracks.length < 2) return tracks[0];
  for (const track of tracks.slice(0, MOST_TRIALS)) {
    if (await canDecode(tools, source, track, signal)) return track;
  }
  return tracks[0];
}

function rankOf({ id, disposition }: RawAudio, { hiddenTracks }: AudioFile): number {
  if (disposition?.default === 1) return 0;
  return hiddenTracks.includes(Number(id)) ? 2 : 1;
}

/** True if the beginning of a track can be decoded; it may be encrypted or damaged. */
async function canDecode(
  tools: Ffmpeg,
  { opening }: AudioFile,
  { index = 0 }: RawAudio,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  const part = ['-select_streams', String(index), '-read_intervals', `%+#${TRIED_PACKETS}`];
  const show = ['-show_entries', 'frame=nb_samples', '-of', 'csv=p=0'];
  const text = await runFfprobe(tools, ['-v', 'error', ...part, ...show, ...opening], signal).catch(() => '');
  signal?.throwIfAborted();
  return text.trim() !== '';
}

export function readTrack({ index = 0, codec_name = '', channels = 0, channel_layout }: RawAudio): AudioTrack {
  const layout = channel_layout === undefined || channel_layout === 'unknown' ? undefined : channel_layout;
  return { index, codec: codec_name, channels, layout };
}

/** Describes why no audio track can be decoded; undefined if the file has none. */
export function describeUndecodable(streams: readonly RawAudio[]): string | undefined {
  const [audio] = audioStreamsOf(streams);
  if (!audio) return undefined;
  const { codec_name, codec_tag_string = 'unknown', channels = 0 } = audio;
  if (channels > MOST_CHANNELS) return `The audio has ${channels} channels; at most ${MOST_CHANNELS} can be read.`;
  return `The audio is in a format that cannot be decoded (${codec_name ?? codec_tag_string}).`;
}

function audioStreamsOf<T extends RawAudio>(streams: readonly T[]): T[] {
  return streams.filter(({ codec_type }) => codec_type === 'audio');
}

/** True if ffmpeg has a decoder: only a decoder knows the sample format. */
function hasDecoder({ codec_name, sample_fmt, sample_rate, channels = 0 }: RawAudio): boolean {
  const isKnown = codec_name !== undefined && sample_fmt !== undefined && sample_fmt !== 'unknown';
  return isKnown && Number(sample_rate) > 0 && channels > 0 && channels <= MOST_CHANNELS;
}
