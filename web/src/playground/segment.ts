import type { Answers, Parameter } from '../api/types.ts';
import { baseOf, withBase } from './layered.ts';
import { type Part, partValue, readParts, withPart } from './parts.ts';

/** What a URL may have, as the service lists it. */
export type Listing = Answers['listTransformations'];

const PRESET = 'n_';

/** The parts of a segment before its layers. */
export function readSegment(segment: string, parameters: readonly Parameter[]): Part[] {
  return readParts(baseOf(segment), parameters);
}

/** The value of a parameter, not of those of layers. */
export function valueIn(segment: string, key: string, parameters: readonly Parameter[]): string | undefined {
  return partValue(baseOf(segment), key, parameters);
}

/** The segment with another value of one parameter; undefined and an empty text take it away. Its layers stay as they are. */
export function withValue(
  segment: string,
  key: string,
  value: string | undefined,
  parameters: readonly Parameter[],
): string {
  return withBase(segment, withPart(baseOf(segment), key, value, parameters));
}

/** The transformation that a segment stands for: that of a preset, or itself. */
export function expandPreset(segment: string, presets: Listing['presets']): string {
  return presets.find(({ name }) => segment === PRESET + name)?.transformation ?? segment;
}

export const segmentOfPreset = (name: string): string => PRESET + name;

/** The parameters of a kind of file; a frame of a video has those of pictures too. */
export function parametersOf(kind: 'image' | 'video', segment: string, listing: Listing): readonly Parameter[] {
  if (kind === 'image') return listing.image;
  if (!isFrame(segment, listing)) return listing.video;
  const keys = new Set(listing.video.map(({ key }) => key));
  return [...listing.video, ...listing.image.filter(({ key }) => !keys.has(key))];
}

/** Whether a segment asks for one picture of a video. */
export function isFrame(segment: string, listing: Listing): boolean {
  const format = valueIn(segment, 'f', listing.video) ?? '';
  if (isOn(segment, 't', listing) || format === 'json') return true;
  return IMAGE_FORMATS.has(format) && stillOf(segment, listing) === undefined;
}

/** What a job makes of a video that is no video. */
export type Still = 'animation' | 'sheet' | 'cues' | 'waveform';

/** What a segment asks for of a video that is no video, and no single frame of it; undefined for other segments. */
export function stillOf(segment: string, listing: Listing): Still | undefined {
  const format = valueIn(segment, 'f', listing.video) ?? '';
  if (isOn(segment, 't', listing) || format === 'json') return undefined;
  if (isOn(segment, 'sb', listing)) return format === 'vtt' ? 'cues' : 'sheet';
  if (isOn(segment, 'wf', listing)) return 'waveform';
  return isOn(segment, 'an', listing) && ANIMATED_FORMATS.has(format) ? 'animation' : undefined;
}

/** The types of the playlists that a player reads, by their formats. */
const PLAYLIST_TYPES: Readonly<Record<string, string>> = {
  hls: 'application/vnd.apple.mpegurl',
  m3u8: 'application/vnd.apple.mpegurl',
  dash: 'application/dash+xml',
};

/** The type of the playlist that a segment asks for; undefined for what is none. */
export function playlistTypeOf(segment: string, listing: Listing): string | undefined {
  return PLAYLIST_TYPES[valueIn(segment, 'f', listing.video) ?? ''];
}

/** Whether a segment asks for sound and no pictures. */
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

/** A frame of what a segment makes of a video, in the same geometry and with its layers: it is there at once. */
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

/** The same geometry without loss, to compare with; of an animation the first frame, because pictures without loss do not move. */
export function losslessOf(segment: string, parameters: readonly Parameter[]): string {
  const retained = readSegment(segment, parameters).filter(({ key }) => !['an', 'f', 'q'].includes(key));
  return withBase(segment, [...retained.map(({ text }) => text), 'q_100', 'f_png'].join(','));
}
