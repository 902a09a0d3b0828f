import type { Fragments } from '../../video/source/fragments.ts';
import { bandwidthOf, targetSeconds } from './bandwidth.ts';

/** A finished rendition. */
export interface ReadyRendition {
  fragments: Fragments;
  /** Relative URI of its playlist, or in a manifest of the file itself. */
  uri: string;
}

/** Renditions that a player can choose from. */
export interface ReadyLadder {
  /** By ascending height. */
  video: readonly ReadyRendition[];
  audio: ReadyRendition | undefined;
  /** Frames per second; null if unknown. */
  frameRate: number | null;
}

const AUDIO_GROUP = 'sound';

/** Writes the HLS multivariant playlist (RFC 8216, 4.3.4). */
export function writeMasterPlaylist({ video, audio, frameRate }: ReadyLadder): string {
  const audioBandwidth = audio && bandwidthOf(audio.fragments);
  const variants = video.map(({ fragments, uri }) => {
    const { size, codec } = fragments;
    const { peak, average } = bandwidthOf(fragments);
    const attributes = [
      `BANDWIDTH=${peak + (audioBandwidth?.peak ?? 0)}`,
      `AVERAGE-BANDWIDTH=${average + (audioBandwidth?.average ?? 0)}`,
      `CODECS="${[codec, ...(audio ? [audio.fragments.codec] : [])].join(',')}"`,
      ...(size ? [`RESOLUTION=${size.width}x${size.height}`] : []),
      ...(frameRate === null ? [] : [`FRAME-RATE=${frameRate.toFixed(3)}`]),
      ...(audio ? [`AUDIO="${AUDIO_GROUP}"`] : []),
    ];
    return `#EXT-X-STREAM-INF:${attributes.join(',')}\n${uri}`;
  });
  return [
    '#EXTM3U',
    `#EXT-X-VERSION:${HLS_VERSION}`,
    '#EXT-X-INDEPENDENT-SEGMENTS',
    ...(audio ? [writeAudio(audio)] : []),
    ...variants,
    '',
  ].join('\n');
}

function writeAudio({ fragments: { channels = 2 }, uri }: ReadyRendition): string {
  const attributes = [
    ...['TYPE=AUDIO', `GROUP-ID="${AUDIO_GROUP}"`, 'NAME="Sound"', 'DEFAULT=YES', 'AUTOSELECT=YES'],
    ...[`CHANNELS="${channels}"`, `URI="${uri}"`],
  ];
  return `#EXT-X-MEDIA:${attributes.join(',')}`;
}

/** First version with `EXT-X-MAP` in any playlist (RFC 8216, 7). */
const HLS_VERSION = 6;

/** Names that players such as ffmpeg accept for a segment, by its extension. */
const SEGMENT_NAME = /\.(mp4|mov)$/i;

/** A rendition is named like its original, which may be a WebM. The service ignores the query. */
const namedAsSegment = (uri: string) => (SEGMENT_NAME.test(uri) ? uri : `${uri}?.mp4`);

/**
 * Writes the HLS playlist of one file; each segment is a byte range of it.
 * @param uri of the file, relative to the playlist
 */
export function writeMediaPlaylist({ headBytes, segments }: Fragments, uri: string): string {
  const name = namedAsSegment(uri);
  return [
    '#EXTM3U',
    `#EXT-X-VERSION:${HLS_VERSION}`,
    `#EXT-X-TARGETDURATION:${targetSeconds(segments)}`,
    '#EXT-X-MEDIA-SEQUENCE:0',
    '#EXT-X-PLAYLIST-TYPE:VOD',
    '#EXT-X-INDEPENDENT-SEGMENTS',
    `#EXT-X-MAP:URI="${name}",BYTERANGE="${headBytes}@0"`,
    ...segments.map(
      ({ start, bytes, seconds }) => `#EXTINF:${seconds.toFixed(6)},\n#EXT-X-BYTERANGE:${bytes}@${start}\n${name}`,
    ),
    '#EXT-X-ENDLIST\n',
  ].join('\n');
}
