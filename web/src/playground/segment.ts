import type { Answers, Parameter } from '../api/types.ts';
import { baseOf, withBase } from './layered.ts';
import { type Part, partValue, readParts, withPart } from './parts.ts';

/** Parameters and presets of the service. */
export type Listing = Answers['listTransformations'];

const PRESET = 'n_';

/** Parts before the layers. */
export function readSegment(segment: string, parameters: readonly Parameter[]): Part[] {
  return readParts(baseOf(segment), parameters);
}

/** Value of a parameter in the base. */
export function valueIn(segment: string, key: string, parameters: readonly Parameter[]): string | undefined {
  return partValue(baseOf(segment), key, parameters);
}

/** Sets a parameter of the base; undefined or empty removes it. Layers are unchanged. */
export function withValue(
  segment: string,
  key: string,
  value: string | undefined,
  parameters: readonly Parameter[],
): string {
  return withBase(segment, withPart(baseOf(segment), key, value, parameters));
}

/** Resolves a preset. */
export function expandPreset(segment: string, presets: Listing['presets']): string {
  return presets.find(({ name }) => segment === PRESET + name)?.transformation ?? segment;
}

export const segmentOfPreset = (name: string): string => PRESET + name;

/** Parameters of a kind of file; video frames also accept image parameters. */
export function parametersOf(kind: 'image' | 'video', segment: string, listing: Listing): readonly Parameter[] {
  if (kind === 'image') return listing.image;
  if (!isFrame(segment, listing)) return listing.video;
  const keys = new Set(listing.video.map(({ key }) => key));
  return [...listing.video, ...listing.image.filter(({ key }) => !keys.has(key))];
}

/** True if a segment requests a frame of a video. */
export function isFrame(segment: string, listing: Listing): boolean {
  const format = valueIn(segment, 'f', listing.video) ?? '';
  if (isOn(segment, 't', listing) || format === 'json') return true;
  return IMAGE_FORMATS.has(format) && stillOf(segment, listing) === undefined;
}

/** Result of a job that is not a video. */
export type Still = 'animation' | 'sheet' | 'cues' | 'waveform';

/** Kind of a non-video job result; undefined for videos and single frames. */
export function stillOf(segment: string, listing: Listing): Still | undefined {
  const format = valueIn(segment, 'f', listing.video) ?? '';
  if (isOn(segment, 't', listing) || format === 'json') return undefined;
  if (isOn(segment, 'sb', listing)) return format === 'vtt' ? 'cues' : 'sheet';
  if (isOn(segment, 'wf', listing)) return 'waveform';
  return isOn(segment, 'an', listing) && ANIMATED_FORMATS.has(format) ? 'animation' : undefined;
}

/** MIME types of playlists by format. */
const PLAYLIST_TYPES: Readonly<Record<string, string>> = {
  hls: 'application/vnd.apple.mpegurl',
  m3u8: 'application/vnd.apple.mpegurl',
  dash: 'application/dash+xml',
};

/** Playlist type of a segment; undefined for other formats. */
export function playlistTypeOf(segment: string, listing: Listing): string | undefined {
  return PLAYLIST_TYPES[valueIn(segment, 'f', listing.video) ?? ''];
}

/** True if a segment requests audio without video. */
export function isAudioOnly(segment: string, listing: Listing): boolean {
  return (
    ['aac', 'opus', 'mp3'].includes(valueIn(segment, 'au', listing.video) ?? '') && !playlistTypeOf(segment, listing)
  );
}

const ANIMATED_FORMATS: ReadonlySet<string> = new Set(['', 'auto', 'best', 'webp', 'gif']);

function isOn(segment: string, key: string, listing: Listing): boolean {
  return ['true', '1'].includes(valueIn(segment, key, listing.video) ?? '');
}

const IMAGE_FORMATS: ReadonlySet<string> = new Set(['avif', 'webp', 'jpeg', 'jpg', 'png', 'gif', 'best', 'json']);

/** Frame with the geometry and layers of a transcode; available immediately. */
export function frameOf(segment: string, listing: Listing): string {
  if (isFrame(segment, listing)) return segment;
  const imageKeys = new Set(listing.image.map(({ key }) => key));
  const retained = readSegment(segment, listing.video).filter(
    ({ key }) => key === '' || (imageKeys.has(key) && key !== 'f' && key !== 'q'),
  );
  const start = valueIn(segment, 'so', listing.video);
  const base = [...retained.map(({ text }) => text), 't_true', ...(start === undefined ? [] : [`tt_${start}`])].join(
    ',',
  );
  return withBase(segment, base);
}

/** Lossless version in the same geometry. Lossless formats are not animated, so an animation shows its first frame. */
export function losslessOf(segment: string, parameters: readonly Parameter[]): string {
  const retained = readSegment(segment, parameters).filter(({ key }) => !['an', 'f', 'q'].includes(key));
  return withBase(segment, [...retained.map(({ text }) => text), 'q_100', 'f_png'].join(','));
}
