import type { Parameter } from '../transformation/param.ts';
import type { VideoLayout } from './geometry.ts';
import type { VideoProbe } from './source/probe.ts';

/** The kinds of originals that jobs make something of. Each has its own list of parameters. */
export type SourceKind = 'video' | 'gif' | 'sound';

/** The formats that a video is transcoded to. */
export type VideoFormat = 'mp4' | 'webm' | 'mov' | 'cmaf';

/** Texts that say where the parts of a stream are. */
export type PlaylistFormat = 'm3u8' | 'hls' | 'dash' | 'vtt';

/** How the picture of a video is coded. */
export type VideoCodec = 'h264' | 'vp9' | 'av1' | 'h265';

/** The formats that a single frame is asked for in. */
export type FrameFormat = 'avif' | 'webp' | 'jpeg' | 'png' | 'gif' | 'best' | 'json';

/** Everything about a transcode that is decided before ffmpeg starts: what the steps have in common. */
export interface VideoPlan {
  layout: VideoLayout;
  probe: VideoProbe;
  /** The format of the result. */
  format: VideoFormat;
  codec: VideoCodec;
  /** The sound of the result; undefined where there is none. */
  audio: VideoProbe['audio'];
  /** What its sound passes through before it is coded. */
  audioFilters: readonly string[];
  /** Threads that an encoder may use; undefined leaves it to the encoder. */
  threads: number | undefined;
  /** Seconds into the source where the result begins. */
  start: number;
  /** True if HDR and wide primaries are brought to those of sRGB. */
  convertsColours: boolean;
  /** Frames a second at most; undefined where all are kept. */
  mostFrames: number | undefined;
}

/**
 * A parameter with its effect on the ffmpeg command. Every step is applied to every transcode, in the order of the list;
 * a step whose parameter is absent gets undefined.
 */
export interface VideoStep<Name extends string, T> extends Parameter<Name, T> {
  /** Arguments that say what is read, before `-i`. */
  input?(value: T | undefined, plan: VideoPlan): string[];
  /** Links of the chain of video filters. */
  filters?(value: T | undefined, plan: VideoPlan): string[];
  /** Arguments that say what is written. */
  output?(value: T | undefined, plan: VideoPlan): string[];
}

/** Declares a step; the types of name and value are inferred. */
export function defineStep<const Name extends string, T>(step: VideoStep<Name, T>): VideoStep<Name, T> {
  return step;
}
