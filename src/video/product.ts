import { mediaTypeOf } from '../media.ts';
import { negotiateFormat } from '../transformation/negotiate.ts';
import type { AudioCodec } from './ffmpeg/audio.ts';
import { type OtherFormat, type OtherKind, otherKindOf } from './kinds.ts';
import { videoFormatOf } from './options.ts';
import type { SourceKind, VideoFormat } from './step.ts';
import type { VideoOptions } from './steps/index.ts';

/** Result of a job. */
export interface Product {
  kind: 'video' | 'audio rendition' | OtherKind['kind'];
  /** Format of the variant. */
  format: Exclude<VideoFormat, 'cmaf'> | 'm4a' | OtherFormat;
}

export const PRODUCT_FORMATS: readonly Product['format'][] = [
  ...(['mp4', 'webm', 'mov', 'm4a'] as const),
  ...(['webp', 'gif', 'jpeg', 'png', 'avif', 'ogg', 'mp3'] as const),
];

/** Audio containers by codec. */
const AUDIO_FORMATS = { aac: 'm4a', opus: 'ogg', mp3: 'mp3' } as const;

/** Returns the kind of an original that jobs can process, by its file name. */
export function sourceKindOf(path: string): SourceKind {
  const { kind, mime } = mediaTypeOf(path);
  if (kind === 'audio') return 'sound';
  return mime === 'image/gif' ? 'gif' : 'video';
}

/** Returns the product of options that do not request a single frame. */
export function productOf(options: VideoOptions): Product {
  const other = otherKindOf(options);
  if (!other) return videoOf(options);
  if (other.kind === 'sound') return { kind: 'sound', format: AUDIO_FORMATS[options.audio as AudioCodec] };
  const { format = other.formats[0] } = options;
  return { kind: other.kind, format: format as Product['format'] };
}

function videoOf(options: VideoOptions): Product {
  const format = videoFormatOf(options);
  if (format !== 'cmaf') return { kind: 'video', format };
  return options.audio === 'aac' ? { kind: 'audio rendition', format: 'm4a' } : { kind: 'video', format: 'mp4' };
}

/** Returns the options of the sheet that a WebVTT refers to. */
export function sheetOf({ format: _, ...options }: VideoOptions): VideoOptions {
  return options;
}

/** Adds the format that a request accepts, for previews that name none. */
export function negotiated(options: VideoOptions, accept: string | undefined) {
  const isNegotiated = otherKindOf(options)?.kind === 'preview' && options.format === undefined;
  if (!isNegotiated) return { options, isNegotiated };
  const format = negotiateFormat(accept, [], true) === 'webp' ? 'webp' : 'gif';
  return { options: { ...options, format } satisfies VideoOptions, isNegotiated };
}
