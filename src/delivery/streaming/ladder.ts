import { sheetOf } from '../../video/product.ts';
import { audioOf, isAudioOfStream } from '../../video/stream-options.ts';
import { canonicalVideo, type LayeredVideo } from '../layers.ts';

/** Properties of an original that a ladder needs. */
export interface StreamSource {
  /** As displayed, in pixels. */
  width: number;
  height: number;
  /** Average frames per second; null if the file does not say. */
  frameRate: number | null;
  hasSound: boolean;
  /** Of the video stream, in seconds. */
  seconds: number;
}

/** A file of a stream: video of one size, or the audio. */
export interface Rendition {
  kind: 'picture' | 'sound';
  /** Of video. */
  height: number | undefined;
  /** Options that request the file. */
  options: LayeredVideo;
}

/** Video renditions by ascending height, and the audio. */
interface Ladder {
  video: readonly Rendition[];
  audio: Rendition | undefined;
}

/**
 * Plans the renditions of `f_hls` or `f_dash`: the heights of the setting, up to that of the video. A video below all
 * of them gets one of its own height.
 * @param heights STREAM_HEIGHTS, ascending
 */
export function planLadder(options: LayeredVideo, source: StreamSource, heights: readonly number[]): Ladder {
  const possible = heightsWithin(options, heights);
  const fitting = possible.filter((height) => height <= source.height);
  const lowest = possible[0] as number;
  const own = { ...videoRendition(options, lowest, { isOwn: true }), height: Math.min(source.height, lowest) };
  return {
    video: fitting.length > 0 ? fitting.map((height) => videoRendition(options, height)) : [own],
    audio: source.hasSound && options.audio !== 'none' ? audioRendition(options) : undefined,
  };
}

/** Returns the canonical texts of every file and playlist that a ladder can lead to, for any original. */
export function partsOf(options: LayeredVideo, heights: readonly number[]): Set<string> {
  const possible = heightsWithin(options, heights);
  const own = videoRendition(options, possible[0] as number, { isOwn: true });
  const audio = options.audio === 'none' ? [] : [audioRendition(options)];
  const renditions = [...possible.map((height) => videoRendition(options, height)), own, ...audio];
  return new Set(renditions.flatMap((rendition) => [rendition.options, playlistOf(rendition)]).map(canonicalOf));
}

/** Returns the options that request the playlist of a rendition. */
export function playlistOf({ options }: Rendition): LayeredVideo {
  return { ...options, format: 'm3u8' };
}

/** Returns the file of a playlist of one rendition. */
export function fileOf(options: LayeredVideo): Rendition {
  const { height } = options;
  return { kind: isAudioOfStream(options) ? 'sound' : 'picture', height, options: { ...options, format: 'cmaf' } };
}

/** Returns the options of the one file that a text describes; undefined for the playlist of a ladder. */
export function subjectOf(options: LayeredVideo): LayeredVideo | undefined {
  if (options.format === 'vtt') return sheetOf(options);
  return options.format === 'm3u8' ? fileOf(options).options : undefined;
}

export function canonicalOf(options: LayeredVideo): string {
  return canonicalVideo(options, 'video');
}

function heightsWithin({ height = Number.POSITIVE_INFINITY }: LayeredVideo, heights: readonly number[]): number[] {
  const within = heights.filter((one) => one <= height);
  return within.length > 0 ? within : [height];
}

/** @param isOwn true for the height of a video below all heights */
function videoRendition({ audio: _, ...options }: LayeredVideo, height: number, { isOwn = false } = {}): Rendition {
  const fit = isOwn ? ({ crop: 'fit' } as const) : {};
  return { kind: 'picture', height, options: { ...options, ...fit, height, format: 'cmaf' } };
}

function audioRendition(options: LayeredVideo): Rendition {
  return { kind: 'sound', height: undefined, options: audioOf(options, 'cmaf') };
}
