import { sheetOf } from '../../video/product.ts';
import { audioOf, isAudioOfStream } from '../../video/stream-options.ts';
import { canonicalVideo, type LayeredVideo } from '../layers.ts';

/** What a ladder has to know of its original. */
export interface StreamSource {
  /** As displayed, in pixels. */
  width: number;
  height: number;
  /** Frames a second, on average; null where the file does not say. */
  frameRate: number | null;
  hasSound: boolean;
  /** Of the picture, in seconds. */
  seconds: number;
}

/** A file of a stream: pictures of one size, or the sound. */
export interface Rendition {
  kind: 'picture' | 'sound';
  /** Of pictures. */
  height: number | undefined;
  /** What the file is asked for by. */
  options: LayeredVideo;
}

/** The pictures of a ladder, the lowest first, and its sound. */
interface Ladder {
  video: readonly Rendition[];
  audio: Rendition | undefined;
}

/**
 * The rungs of `f_hls` or `f_dash`: as high as the setting says, none above the video. A video below all of them has one of its own height.
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

/** The canonical texts of every file and playlist that a ladder can lead to, whatever its original is. */
export function partsOf(options: LayeredVideo, heights: readonly number[]): Set<string> {
  const possible = heightsWithin(options, heights);
  const own = videoRendition(options, possible[0] as number, { isOwn: true });
  const audio = options.audio === 'none' ? [] : [audioRendition(options)];
  const renditions = [...possible.map((height) => videoRendition(options, height)), own, ...audio];
  return new Set(renditions.flatMap((rendition) => [rendition.options, playlistOf(rendition)]).map(canonicalOf));
}

/** What the playlist of a rung is asked for by. */
export function playlistOf({ options }: Rendition): LayeredVideo {
  return { ...options, format: 'm3u8' };
}

/** The file that a playlist of one is about. */
export function fileOf(options: LayeredVideo): Rendition {
  const { height } = options;
  return { kind: isAudioOfStream(options) ? 'sound' : 'picture', height, options: { ...options, format: 'cmaf' } };
}

/** What the one file is asked for by that a text is about; undefined for the playlist of a ladder. */
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

/** @param isOwn whether it has the height of a video that is less high */
function videoRendition({ audio: _, ...options }: LayeredVideo, height: number, { isOwn = false } = {}): Rendition {
  const fit = isOwn ? ({ crop: 'fit' } as const) : {};
  return { kind: 'picture', height, options: { ...options, ...fit, height, format: 'cmaf' } };
}

function audioRendition(options: LayeredVideo): Rendition {
  return { kind: 'sound', height: undefined, options: audioOf(options, 'cmaf') };
}
