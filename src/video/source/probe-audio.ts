import { COMMON_ARGUMENTS } from '../ffmpeg/command.ts';
import { FfmpegFailed, UndecodableVideo } from '../ffmpeg/errors.ts';
import { type Ffmpeg, runFfmpeg, runFfprobe } from '../ffmpeg/run.ts';
import {
  AUDIO_ENTRIES,
  type AudioTrack,
  chooseAudio,
  describeUndecodable,
  type RawAudio,
  readTrack,
} from './audio-track.ts';
import { type AnyContainer, audioContainerOf } from './container.ts';
import { DETAIL_ENTRIES, type MediaDetails, type RawFormat, readDetails } from './details.ts';
import { LENGTH_ENTRIES, lengthOfStream, type RawLength } from './lengths.ts';
import type { Mp4Heads } from './mp4-heads.ts';
import { openingArguments } from './probe.ts';

/** Properties of the audio of a file before any of it is decoded. */
export interface AudioProbe extends AudioTrack, MediaDetails {
  container: AnyContainer;
}

const ENTRIES = [...AUDIO_ENTRIES, ...LENGTH_ENTRIES, ...DETAIL_ENTRIES].join(':');

/**
 * Reads the properties of an audio file. A cover in it is ignored.
 * @throws UndecodableVideo when it is damaged, or of another kind
 */
export async function probeAudio(tools: Ffmpeg, file: string, signal?: AbortSignal): Promise<AudioProbe> {
  const container = await audioContainerOf(file);
  const audio = await findAudio(tools, { container, contradictedEnd: undefined, hiddenTracks: [] }, file, signal);
  if (!audio) throw new UndecodableVideo('The file has no audio.');
  return audio;
}

/**
 * Reads the properties of the audio of a file; undefined for a video without any.
 * @throws UndecodableVideo when the file is damaged, or none of its audio can be decoded
 */
export async function findAudio(
  tools: Ffmpeg,
  { container, contradictedEnd, hiddenTracks }: Mp4Heads & { container: AnyContainer },
  file: string,
  signal?: AbortSignal,
): Promise<AudioProbe | undefined> {
  const opening = openingArguments(container, file);
  const args = ['-v', 'error', ...opening, '-show_entries', ENTRIES, '-of', 'json'];
  const text = await runFfprobe(tools, args, signal).catch(blameAudio);
  const { format, streams = [] } = JSON.parse(text) as RawProbe;
  const source = { opening, container, format, contradictedEnd, hiddenTracks };
  const audio = await chooseAudio(tools, source, streams, signal);
  if (!audio) {
    const reason = describeUndecodable(streams);
    if (reason === undefined) return undefined;
    throw new UndecodableVideo(reason);
  }
  const track = readTrack(audio);
  const duration =
    container === 'mp3' || container === 'aac'
      ? await countSeconds(tools, opening, track, signal)
      : await lengthOfStream(tools, source, audio, signal);
  return { container, ...track, ...readDetails(format, duration) };
}

/** Counts the frames of a file that does not state its length. ffprobe would extrapolate the rate of the first ones. */
async function countSeconds(
  tools: Ffmpeg,
  opening: readonly string[],
  { index }: AudioTrack,
  signal: AbortSignal | undefined,
): Promise<number> {
  const args = [...COMMON_ARGUMENTS, ...opening, '-map', `0:${index}`, '-c', 'copy', '-f', 'null', '-'];
  return (await runFfmpeg(tools, args, { signal }).catch(blameAudio)).seconds;
}

function blameAudio(cause: unknown): never {
  if (!(cause instanceof FfmpegFailed) || cause.signal) throw cause;
  throw new UndecodableVideo(`The audio cannot be read; it is damaged or incomplete (${cause.message}).`, { cause });
}

interface RawProbe {
  format?: RawFormat;
  streams?: (RawAudio & RawLength)[];
}
