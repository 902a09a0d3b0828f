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
 * Checks for mistakes that only several parameters together can make.
 * @param output the largest result, as far as it can be checked without the video
 * @throws HttpProblem 400 when `eo` stands without `so`, or not after it, for `f_vtt` without a storyboard, when the format holds no such codec, and over a limit
 */
export function checkVideoOptions(options: VideoOptions, output?: OutputLimits): void {
  checkOffsets(options);
  if (options.format === 'vtt' && !options.storyboard) throw parameterProblem('f', 'sb_true beside f_vtt', 'f_vtt');
  checkCodec(options);
  const excess =
    output && !otherKindOf(options) && !isFrame(options) ? describeExcess(knownSides(options), output) : undefined;
  if (excess !== undefined) throw badRequest(excess, 'limit_exceeded');
}

function checkOffsets({ startOffset, endOffset }: VideoOptions): void {
  if (endOffset === undefined) return;
  if (startOffset === undefined) throw parameterProblem('eo', 'a start offset "so" beside it', `eo_${endOffset}`);
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

/** True when the result is a single frame: a picture that is made in the request, without a job. */
export function isFrame({ thumbnail, format }: VideoOptions): boolean {
  return thumbnail === true || isFrameFormat(format);
}

/** The time of a single frame, in seconds: `tt` beside `t_true` or `f_json`, else `so`, else the beginning. */
export function frameTimeOf(options: VideoOptions): number {
  return (hasThumbnailTime(options) ? options.thumbnailTime : undefined) ?? options.startOffset ?? 0;
}

/** The format of a transcode; mp4 when none is asked for. */
export function videoFormatOf({ format }: VideoOptions): VideoFormat {
  if (isFrameFormat(format) || isPlaylistFormat(format))
    throw new TypeError(`Expected a video format, received ${quote(format)}.`);
  return format ?? 'mp4';
}

/** The canonical text of a product, as a job keeps it; the empty text is a transcode with every default. */
export function writeCanonicalOptions(options: VideoOptions, source: SourceKind): string {
  if (source === 'gif') return formatOptions(options as GifOptions, gifSteps);
  return formatOptions<ParameterList>(options, otherKindOf(options)?.steps ?? videoSteps);
}

/**
 * Reads it back.
 * @throws HttpProblem 400 when a value lies outside of limits that have changed since
 */
export function readCanonicalOptions(text: string, rules: ParameterRules, source: SourceKind): VideoOptions {
  if (source === 'gif') return parseSegment(text, gifSteps, [], rules) ?? {};
  const other = otherKindIn(text, source, [], rules);
  return other ? readOtherKind(text, other, [], rules) : (parseSegment(text, videoSteps, [], rules) ?? {});
}

/** The part of a segment that says the format: the last one counts. Empty when there is none. */
export function formatPartOf(segment: string): string {
  return segment.split(',').findLast((part) => part.startsWith('f_')) ?? '';
}

/** Whether a part of a segment says a format of videos or of streams. */
export function isVideoFormatPart(part: string): boolean {
  return /^f_(mp4|webm|mov|cmaf|m3u8|hls|dash)$/.test(part);
}

/** The segment of a frame without its video format, which says nothing there, for reading the rest as of an image. */
export function withoutVideoFormat(segment: string): string {
  return segment
    .split(',')
    .filter((part) => !isVideoFormatPart(part))
    .join(',');
}
