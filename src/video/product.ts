import { mediaTypeOf } from '../media.ts';
import { negotiateFormat } from '../transformation/negotiate.ts';
import type { AudioCodec } from './ffmpeg/audio.ts';
import { type OtherFormat, type OtherKind, otherKindOf } from './kinds.ts';
import { videoFormatOf } from './options.ts';
import type { SourceKind, VideoFormat } from './step.ts';
import type { VideoOptions } from './steps/index.ts';

/** What a job makes of an original. */
export interface Product {
  /** How it is made. */
  kind: 'video' | 'audio rendition' | OtherKind['kind'];
  /** The format of the variant. */
  format: Exclude<VideoFormat, 'cmaf'> | 'm4a' | OtherFormat;
}

/** Every format that a product can have. */
export const PRODUCT_FORMATS: readonly Product['format'][] = [
  ...(['mp4', 'webm', 'mov', 'm4a'] as const),
  ...(['webp', 'gif', 'jpeg', 'png', 'avif', 'ogg', 'mp3'] as const),
];

/** What holds sound alone. */
const AUDIO_FORMATS = { aac: 'm4a', opus: 'ogg', mp3: 'mp3' } as const;

/** The kind of an original that jobs make something of, by its name. */
export function sourceKindOf(path: string): SourceKind {
  const { kind, mime } = mediaTypeOf(path);
  if (kind === 'audio') return 'sound';
  return mime === 'image/gif' ? 'gif' : 'video';
}

/** What options ask for that do not ask for a single frame. */
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

/** The options of the sheet that a WebVTT is about. */
export function sheetOf({ format: _, ...options }: VideoOptions): VideoOptions {
  return options;
}

/** The options with the format that a request accepts, where it has a say: for previews that name none. */
export function negotiated(options: VideoOptions, accept: string | undefined) {
  const isNegotiated = otherKindOf(options)?.kind === 'preview' && options.format === undefined;
  if (!isNegotiated) return { options, isNegotiated };
  const format = negotiateFormat(accept, [], true) === 'webp' ? 'webp' : 'gif';
  return { options: { ...options, format } satisfies VideoOptions, isNegotiated };
}
