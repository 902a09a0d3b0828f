import type { Parameter } from '../transformation/param.ts';
import type { VideoLayout } from './geometry.ts';
import type { VideoProbe } from './source/probe.ts';

/** Kinds of originals that jobs process. Each has its own list of parameters. */
export type SourceKind = 'video' | 'gif' | 'sound';

export type VideoFormat = 'mp4' | 'webm' | 'mov' | 'cmaf';

/** Texts that list the parts of a stream. */
export type PlaylistFormat = 'm3u8' | 'hls' | 'dash' | 'vtt';

export type VideoCodec = 'h264' | 'vp9' | 'av1' | 'h265';

/** Formats of a single frame. */
export type FrameFormat = 'avif' | 'webp' | 'jpeg' | 'png' | 'gif' | 'best' | 'json';

/** Everything about a transcode that is decided before ffmpeg starts; shared by all steps. */
export interface VideoPlan {
  layout: VideoLayout;
  probe: VideoProbe;
  format: VideoFormat;
  codec: VideoCodec;
  /** Audio of the result; undefined if there is none. */
  audio: VideoProbe['audio'];
  /** Audio filters before encoding. */
  audioFilters: readonly string[];
  /** Threads for an encoder; undefined leaves it to the encoder. */
  threads: number | undefined;
  /** Start of the result in the source, in seconds. */
  start: number;
  /** True if HDR and wide primaries are converted to sRGB. */
  convertsColours: boolean;
  /** Frame rate limit; undefined if all frames are used. */
  mostFrames: number | undefined;
}

/**
 * A parameter with its effect on the ffmpeg command. Every step is applied to every transcode, in the order of the
 * list; a step without its parameter gets undefined.
 */
export interface VideoStep<Name extends string, T> extends Parameter<Name, T> {
  /** Arguments before `-i`. */
  input?(value: T | undefined, plan: VideoPlan): string[];
  /** Links of the chain of video filters. */
  filters?(value: T | undefined, plan: VideoPlan): string[];
  /** Output arguments. */
  output?(value: T | undefined, plan: VideoPlan): string[];
}

/** Declares a step; infers the types of name and value. */
export function defineStep<const Name extends string, T>(step: VideoStep<Name, T>): VideoStep<Name, T> {
  return step;
}
