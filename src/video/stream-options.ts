import { badRequest } from '../errors.ts';
import { isBlur } from '../transformation/syntax.ts';
import { parameterProblem } from '../transformation/transformation.ts';
import { MAX_STREAM_RATE } from './ffmpeg/rendition.ts';
import { isStream } from './steps/audio.ts';
import { isPlaylistFormat } from './steps/format.ts';
import type { VideoOptions } from './steps/index.ts';

/**
 * Normalizes options of streams: their audio has no size, their video no audio. Others stay unchanged.
 * @throws HttpProblem 400 for a ladder with its own aspect ratio, and for audio that streams do not have
 */
export function normalizeStream(options: VideoOptions): VideoOptions {
  const { format, audio } = options;
  if (!isStream(format)) return options;
  if (audio === 'opus' || audio === 'mp3') throw parameterProblem('au', 'none or aac, the audio of streams', audio);
  if (format !== 'cmaf' && format !== 'm3u8') return normalizeLadder(options);
  if (isAudioOfStream(options)) return audioOf(options, format);
  const { audio: _, ...video } = options;
  return video;
}

/** True if the options request the audio rendition of a stream. */
export function isAudioOfStream({ format, audio }: VideoOptions): boolean {
  return audio === 'aac' && (format === 'cmaf' || format === 'm3u8');
}

/** Returns the options of the audio rendition that belongs to a stream. */
export function audioOf({ startOffset, endOffset }: VideoOptions, format: 'cmaf' | 'm3u8'): VideoOptions {
  return {
    ...(startOffset !== undefined && { startOffset }),
    ...(endOffset !== undefined && { endOffset }),
    audio: 'aac',
    format,
  };
}

function normalizeLadder(options: VideoOptions): VideoOptions {
  // Renditions are never enlarged, so `fit` has no effect; other modes and bars need both sides.
  const { audio, crop: _, background, ...others } = options;
  // A colour shows through transparency.
  const ladder = background && !isBlur(background) ? { ...others, background } : others;
  if (others.width !== undefined) {
    const message = `The renditions of a stream have the aspect ratio of the video: expected h as the maximum height with f_${options.format}, received w_${others.width}.`;
    throw badRequest(message, 'parameter_out_of_range');
  }
  return audio === 'none' ? { ...ladder, audio } : ladder;
}

/**
 * Returns the frames per second of a stream: those of the video, up to the limit of its renditions. Null if the file
 * does not say.
 */
export function streamRateOf(
  { frameRate }: { frameRate: number | null },
  { frameRate: most = MAX_STREAM_RATE }: VideoOptions,
): number | null {
  return frameRate === null ? null : Math.min(frameRate, most);
}

/** True if the options request a playlist: a text about renditions made by jobs. */
export function isPlaylist({ format, thumbnail }: VideoOptions): boolean {
  return thumbnail !== true && isPlaylistFormat(format);
}

/**
 * Identifies the video renditions that one process can make together, by their canonical text: those that differ in
 * their height alone. Undefined for every other product.
 */
export function ladderOf(transformation: string): string | undefined {
  const [base = '', ...layers] = transformation.split('~');
  const parts = base.split(',');
  if (!parts.includes('f_cmaf') || parts.includes('au_aac')) return undefined;
  return [parts.filter((part) => !/^h_\d+$/.test(part)).join(','), ...layers].join('~');
}
