import type { Fragments } from '../../video/source/fragments.ts';
import { bandwidthOf, targetSeconds } from './bandwidth.ts';

/** A rung that is ready. */
export interface ReadyRendition {
  fragments: Fragments;
  /** Of its playlist, or in a manifest of the file itself; relative to what names it. */
  uri: string;
}

/** What a player can choose from. */
export interface ReadyLadder {
  /** The lowest first. */
  video: readonly ReadyRendition[];
  audio: ReadyRendition | undefined;
  /** Frames a second; null where it is not known. */
  frameRate: number | null;
}

const AUDIO_GROUP = 'sound';

/** The playlist of playlists, as HLS has it (RFC 8216, 4.3.4). */
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

/** The version in which a playlist may name the head of its segments (RFC 8216, 7). */
const HLS_VERSION = 6;

/** What a segment may be called for players that judge by the end of a name, as ffmpeg does. */
const SEGMENT_NAME = /\.(mp4|mov)$/i;

/** A rung has the name of its original, which may be a WebM. The service does not read what follows the question mark. */
const namedAsSegment = (uri: string) => (SEGMENT_NAME.test(uri) ? uri : `${uri}?.mp4`);

/**
 * The playlist of one file, as HLS has it: each segment is a part of it.
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
