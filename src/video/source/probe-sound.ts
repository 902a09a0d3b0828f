import { FfmpegFailed } from '../ffmpeg/errors.ts';
import { type Ffmpeg, runFfprobe } from '../ffmpeg/run.ts';
import type { Container } from './container.ts';
import { DETAIL_ENTRIES, type MediaDetails, type RawFormat, readDetails } from './details.ts';
import { openingArguments, type SoundContainer, UndecodableVideo } from './probe.ts';

/** What is known of a file of sound before any of it is decoded. */
export interface SoundProbe extends MediaDetails {
  codec: string;
  channels: number;
}

const ENTRIES = ['stream=codec_type,codec_name,channels', ...DETAIL_ENTRIES].join(':');

/**
 * Reads what a file of sound is. A cover in it does not count.
 * @throws UndecodableVideo when it is damaged, or of another kind
 */
export async function probeSound(
  tools: Ffmpeg,
  container: SoundContainer,
  file: string,
  signal?: AbortSignal,
): Promise<SoundProbe> {
  const sound = await findSound(tools, container, file, signal);
  if (!sound) throw new UndecodableVideo('The file holds no sound.');
  return sound;
}

/** The same for a video too; undefined for one without sound. */
export async function findSound(
  tools: Ffmpeg,
  container: SoundContainer | Container,
  file: string,
  signal?: AbortSignal,
): Promise<SoundProbe | undefined> {
  const args = ['-v', 'error', ...openingArguments(container, file), '-show_entries', ENTRIES, '-of', 'json'];
  const text = await runFfprobe(tools, args, signal).catch((cause: unknown) => {
    if (!(cause instanceof FfmpegFailed) || cause.signal) throw cause;
    throw new UndecodableVideo(`The sound cannot be read; it is damaged or incomplete (${cause.message}).`, { cause });
  });
  const { format, streams = [] } = JSON.parse(text) as RawProbe;
  const sound = streams.find((stream) => stream.codec_type === 'audio');
  if (!sound?.codec_name) return undefined;
  return { codec: sound.codec_name, channels: sound.channels ?? 2, ...readDetails(format) };
}

interface RawProbe {
  format?: RawFormat;
  streams?: { codec_type?: string; codec_name?: string; channels?: number }[];
}
