import { mediaTypeOf } from '../media.ts';
import { videoFormatOf } from './options.ts';
import type { SourceKind, VideoFormat } from './step.ts';
import type { VideoOptions } from './steps/index.ts';

/** What a job makes of an original. */
export interface Product {
  /** How it is made. */
  kind: 'video';
  /** The format of the variant. */
  format: VideoFormat;
}

/** Every format that a product can have. */
export const PRODUCT_FORMATS: readonly Product['format'][] = ['mp4', 'webm', 'mov'];

/** The kind of an original that jobs make something of, by its name. */
export function sourceKindOf(path: string): SourceKind {
  return mediaTypeOf(path).mime === 'image/gif' ? 'gif' : 'video';
}

/** What options ask for that do not ask for a single frame. */
export function productOf(options: VideoOptions): Product {
  return { kind: 'video', format: videoFormatOf(options) };
}
