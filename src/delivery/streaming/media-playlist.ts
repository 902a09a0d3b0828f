import type { Fragments } from '../../video/source/fragments.ts';
import { targetSeconds } from './bandwidth.ts';

/** The version in which a playlist may name the head of its segments (RFC 8216, 7). */
export const HLS_VERSION = 6;

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
