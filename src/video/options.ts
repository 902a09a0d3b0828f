import { badRequest } from '../errors.ts';
import { quote } from '../path.ts';
import type { ParameterList, ParameterRules } from '../transformation/param.ts';
import { formatOptions, parameterProblem, parseSegment } from '../transformation/transformation.ts';
import { describeTooSmall, describeUnsupportedFormat } from './ffmpeg/codecs.ts';
import { knownSides } from './geometry.ts';
import { otherKindIn, otherKindOf, readOtherKind } from './kinds.ts';
import { describeExcess, type OutputLimits } from './limits.ts';
import type { SourceKind, VideoFormat } from './step.ts';
import { isFrameFormat, isPlaylistFormat } from './steps/format.ts';
import { type GifOptions, gifSteps, type VideoOptions, videoSteps } from './steps/index.ts';
import { hasThumbnailTime } from './steps/thumbnail.ts';

/**
 * Checks combinations of parameters.
 * @param output largest result, checked as far as possible without the video
 * @throws HttpProblem 400 for `eo` without an earlier `so`, `f_vtt` without a storyboard, a codec that the format
 * cannot hold, and over a limit
 */
export function checkVideoOptions(options: VideoOptions, output?: OutputLimits): void {
  checkOffsets(options);
  if (options.format === 'vtt' && !options.storyboard) throw parameterProblem('f', 'sb_true with f_vtt', 'f_vtt');
  checkCodec(options);
  const excess =
    output && !otherKindOf(options) && !isFrame(options) ? describeExcess(knownSides(options), output) : undefined;
  if (excess !== undefined) throw badRequest(excess, 'limit_exceeded');
}

function checkOffsets({ startOffset, endOffset }: VideoOptions): void {
  if (endOffset === undefined) return;
  if (startOffset === undefined) throw parameterProblem('eo', 'a start offset "so" with it', `eo_${endOffset}`);
  if (endOffset <= startOffset) throw parameterProblem('eo', `a time after so_${startOffset}`, `eo_${endOffset}`);
}

function checkCodec(options: VideoOptions): void {
  const { codec } = options;
  if (!codec || isFrame(options)) return;
  const tooSmall = describeTooSmall(codec, knownSides(options));
  if (tooSmall !== undefined) throw badRequest(tooSmall, 'limit_exceeded');
  const { format = 'mp4' } = options;
  const unsupported = describeUnsupportedFormat(codec, isPlaylistFormat(format) ? 'cmaf' : videoFormatOf(options));
  if (unsupported !== undefined) throw parameterProblem('vc', unsupported, `f_${format}`);
}

/** True if the result is a single frame: an image made within the request, without a job. */
export function isFrame({ thumbnail, format }: VideoOptions): boolean {
  return thumbnail === true || isFrameFormat(format);
}

/** Returns the time of a single frame, in seconds: `tt` with `t_true` or `f_json`, else `so`, else 0. */
export function frameTimeOf(options: VideoOptions): number {
  return (hasThumbnailTime(options) ? options.thumbnailTime : undefined) ?? options.startOffset ?? 0;
}

/** Returns the format of a transcode; MP4 by default. */
export function videoFormatOf({ format }: VideoOptions): VideoFormat {
  if (isFrameFormat(format) || isPlaylistFormat(format))
    throw new TypeError(`Expected a video format, received ${quote(format)}.`);
  return format ?? 'mp4';
}

/** Returns the canonical text of a product, as jobs store it. The empty text is a transcode with every default. */
export function writeCanonicalOptions(options: VideoOptions, source: SourceKind): string {
  if (source === 'gif') return formatOptions(options as GifOptions, gifSteps);
  return formatOptions<ParameterList>(options, otherKindOf(options)?.steps ?? videoSteps);
}

/**
 * Parses the text of `writeCanonicalOptions`.
 * @throws HttpProblem 400 when a value exceeds limits that have changed since
 */
export function readCanonicalOptions(text: string, rules: ParameterRules, source: SourceKind): VideoOptions {
  if (source === 'gif') return parseSegment(text, gifSteps, [], rules) ?? {};
  const other = otherKindIn(text, source, [], rules);
  return other ? readOtherKind(text, other, [], rules) : (parseSegment(text, videoSteps, [], rules) ?? {});
}

/** Returns the part of a segment that sets the format; the last one counts. Empty if there is none. */
export function formatPartOf(segment: string): string {
  return segment.split(',').findLast((part) => part.startsWith('f_')) ?? '';
}

/** True for a part that sets a format of videos or streams. */
export function isVideoFormatPart(part: string): boolean {
  return /^f_(mp4|webm|mov|cmaf|m3u8|hls|dash)$/.test(part);
}

/**
 * Removes the video format from the segment of a frame, where it has no meaning, so that the rest reads like that of an
 * image.
 */
export function withoutVideoFormat(segment: string): string {
  return segment
    .split(',')
    .filter((part) => !isVideoFormatPart(part))
    .join(',');
}
