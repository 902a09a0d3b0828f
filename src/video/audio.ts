import { type AudioCodec, audioArguments, describeMissingAudioLibrary, evenLoudness } from './ffmpeg/audio.ts';
import { COMMON_ARGUMENTS } from './ffmpeg/command.ts';
import { blameAudio, UndecodableVideo } from './ffmpeg/errors.ts';
import { AUDIO_FRAGMENTS, WITHOUT_GAPS } from './ffmpeg/rendition.ts';
import { type Ffmpeg, type FfmpegProgress, runFfmpeg } from './ffmpeg/run.ts';
import { ImpossibleTranscode } from './limits.ts';
import type { AudioTrack } from './source/audio-track.ts';
import type { AnyContainer } from './source/container.ts';
import { openingArguments, probeVideo, requireComplete, requireContainer } from './source/probe.ts';
import { findAudio, probeAudio } from './source/probe-audio.ts';
import type { VideoOptions } from './steps/index.ts';
import { checkStart, percentReporter, type Transcode, timeLimitOf, type VideoSettings } from './transcode.ts';

/** Muxer arguments by codec; the index comes first, so that browsers can start early. */
const CONTAINERS: Readonly<Record<AudioCodec, readonly string[]>> = {
  aac: ['-movflags', '+faststart', '-f', 'ipod'],
  opus: ['-f', 'ogg'],
  mp3: ['-f', 'mp3'],
};

/**
 * Extracts the audio of a video, or converts stored audio.
 * @throws what `transcode` throws; ImpossibleTranscode without audio, or if ffmpeg lacks the encoder
 */
export async function makeAudio(tools: Ffmpeg, settings: VideoSettings, job: Transcode): Promise<void> {
  const { output, options } = job;
  const codec = codecOf(options);
  const audio = await examineAudio(tools, job, 'The video has no audio.');
  const { duration } = audio;
  const { startOffset: start = 0, loudness } = options;
  if (start > 0 && duration !== undefined && start >= duration)
    throw new ImpossibleTranscode(pastTheEnd(start, duration));
  const message = describeMissingAudioLibrary(codec, tools.libraries);
  if (message !== undefined) throw new ImpossibleTranscode(message);
  const filters = loudness ? [evenLoudness(audio)] : [];
  const args = [...audioArguments(codec, audio, filters), ...CONTAINERS[codec], `file:${output}`];
  const { seconds } = await readAudio(tools, settings, job, audio, { args });
  if (seconds === 0) throw new UndecodableVideo('No audio can be decoded; it is damaged or incomplete.');
  job.onProgress?.(100);
}

/** Returns the audio codec of the result. @throws TypeError for options that request something else */
function codecOf({ audio }: VideoOptions): AudioCodec {
  if (audio === undefined || audio === 'none') throw new TypeError(`Expected an audio codec, received ${audio}.`);
  return audio;
}

function pastTheEnd(start: number, duration: number): string {
  const seconds = Math.round(duration * 1000) / 1000;
  return `The start offset so_${start} lies past the end of the audio, which lasts ${seconds} s.`;
}

/** An audio track that can be read. */
export interface AudioInput extends AudioTrack {
  container: AnyContainer;
  /** In seconds; undefined if the file does not say. */
  duration: number | undefined;
}

/**
 * Reads the properties of stored audio, or of the audio of a video, which needs no video stream for it.
 * @param message error text for a video without audio
 * @throws UndecodableVideo; ImpossibleTranscode for a video without audio
 */
export async function examineAudio(
  tools: Ffmpeg,
  { input, source, signal }: Transcode,
  message: string,
): Promise<AudioInput> {
  if (source === 'sound') return probeAudio(tools, input, signal);
  const file = await requireContainer(input);
  requireComplete(file);
  const audio = await findAudio(tools, file, input, signal);
  if (!audio) throw new ImpossibleTranscode(message);
  return audio;
}

/** Destination of decoded audio. */
interface AudioOutput {
  args: readonly string[];
  /** Receives the output of `pipe:3`. */
  onData?: (chunk: Buffer) => void;
}

/**
 * Decodes the audio of a file alone, from `so` to `eo`, within the limits of a job.
 * @returns the progress at the end
 * @throws what `transcode` throws
 */
export function readAudio(
  tools: Ffmpeg,
  { niceness, stallMs, timeoutMs }: VideoSettings,
  { input, options, signal, onProgress }: Transcode,
  { container, index, duration = Number.POSITIVE_INFINITY }: AudioInput,
  { args, onData }: AudioOutput,
): Promise<FfmpegProgress> {
  const { startOffset: start = 0, endOffset = Number.POSITIVE_INFINITY } = options;
  const end = Math.min(endOffset, duration);
  const all = [
    ...[...COMMON_ARGUMENTS, '-threads', '1'],
    ...(start > 0 ? ['-ss', String(start)] : []),
    ...openingArguments(container, input),
    // Skip covers, and drop tags, which may name people and locations. Ogg stores them in the stream.
    ...['-map', `0:${index}`, '-map_metadata', '-1', '-map_metadata:s', '-1', '-map_chapters', '-1'],
    ...(endOffset === Number.POSITIVE_INFINITY ? [] : ['-t', (endOffset - start).toFixed(3)]),
    ...args,
  ];
  return runFfmpeg(tools, all, {
    signal,
    niceness,
    stallMs,
    onData,
    timeoutMs: timeoutMs && timeLimitOf(timeoutMs, Number.isFinite(duration) ? duration : undefined),
    onProgress: percentReporter(end === Number.POSITIVE_INFINITY ? undefined : end - start, onProgress),
  }).catch(blameAudio);
}

/**
 * Makes the audio rendition of a stream, shared by all video renditions.
 * @throws what `transcode` throws; ImpossibleTranscode for a video without audio
 */
export async function makeAudioRendition(tools: Ffmpeg, settings: VideoSettings, job: Transcode): Promise<void> {
  const probe = await probeVideo(tools, job.input, job.signal);
  requireComplete(probe);
  if (!probe.audio) throw new ImpossibleTranscode('The video has no audio.');
  checkStart(probe, job.options.startOffset ?? 0);
  const { container, duration, audio } = probe;
  const args = [...audioArguments('aac', audio, [WITHOUT_GAPS]), ...AUDIO_FRAGMENTS, `file:${job.output}`];
  const { seconds } = await readAudio(tools, settings, job, { ...audio, container, duration }, { args });
  if (seconds === 0) throw new UndecodableVideo('No audio can be decoded at this time.');
  job.onProgress?.(100);
}
