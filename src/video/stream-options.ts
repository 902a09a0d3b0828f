import { badRequest } from '../errors.ts';
import { isBlur } from '../transformation/syntax.ts';
import { parameterProblem } from '../transformation/transformation.ts';
import { MAX_STREAM_RATE } from './ffmpeg/rendition.ts';
import { isStream } from './steps/audio.ts';
import { isPlaylistFormat } from './steps/format.ts';
import type { VideoOptions } from './steps/index.ts';

/**
 * Options of streams as they are meant: the sound of a stream has no size, its pictures have no sound. Others stay as they are.
 * @throws HttpProblem 400 for a ladder with a shape of its own, and for sound that streams do not have
 */
export function settleStream(options: VideoOptions): VideoOptions {
  const { format, audio } = options;
  if (!isStream(format)) return options;
  if (audio === 'opus' || audio === 'mp3') throw parameterProblem('au', 'none or aac, the sound of streams', audio);
  if (format !== 'cmaf' && format !== 'm3u8') return settleLadder(options);
  if (isAudioOfStream(options)) return audioOf(options, format);
  const { audio: _, ...video } = options;
  return video;
}

/** Whether options ask for the sound of a stream alone. */
export function isAudioOfStream({ format, audio }: VideoOptions): boolean {
  return audio === 'aac' && (format === 'cmaf' || format === 'm3u8');
}

/** The sound that belongs to the pictures of a stream. */
export function audioOf({ startOffset, endOffset }: VideoOptions, format: 'cmaf' | 'm3u8'): VideoOptions {
  return {
    ...(startOffset !== undefined && { startOffset }),
    ...(endOffset !== undefined && { endOffset }),
    ...{ audio: 'aac', format },
  };
}

function settleLadder(options: VideoOptions): VideoOptions {
  // None is enlarged, so that `fit` says nothing; other modes and bars need both sides.
  const { audio, crop: _, background, ...others } = options;
  // A colour lies under transparency.
  const ladder = background && !isBlur(background) ? { ...others, background } : others;
  if (others.width !== undefined) {
    const message = `The rungs of a stream have the shape of the video: expected h as the greatest height beside f_${options.format}, received w_${others.width}.`;
    throw badRequest(message, 'parameter_out_of_range');
  }
  return audio === 'none' ? { ...ladder, audio } : ladder;
}

/** Frames a second of a stream: those of the video, or the most that its renditions have. Null where the video does not say. */
export function streamRateOf(
  { frameRate }: { frameRate: number | null },
  { frameRate: most = MAX_STREAM_RATE }: VideoOptions,
): number | null {
  return frameRate === null ? null : Math.min(frameRate, most);
}

/** Whether options ask for a playlist: a text about rungs that jobs make. */
export function isPlaylist({ format, thumbnail }: VideoOptions): boolean {
  return thumbnail !== true && isPlaylistFormat(format);
}
