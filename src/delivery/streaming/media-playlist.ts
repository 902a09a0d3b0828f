import type { Fragments } from '../../video/streaming/fragments.ts';
import { targetSeconds } from './bandwidth.ts';

/** The version in which a playlist may name the head of its segments (RFC 8216, 7). */
export const HLS_VERSION = 6;

/**
 * The playlist of one file, as HLS has it: each segment is a part of it.
 * @param uri of the file, relative to the playlist
 */
export function writeMediaPlaylist({ headBytes, segments }: Fragments, uri: string): string {
  return [
    '#EXTM3U',
    `#EXT-X-VERSION:${HLS_VERSION}`,
    `#EXT-X-TARGETDURATION:${targetSeconds(segments)}`,
    '#EXT-X-MEDIA-SEQUENCE:0',
    '#EXT-X-PLAYLIST-TYPE:VOD',
    '#EXT-X-INDEPENDENT-SEGMENTS',
    `#EXT-X-MAP:URI="${uri}",BYTERANGE="${headBytes}@0"`,
    ...segments.map(
      ({ start, bytes, seconds }) => `#EXTINF:${seconds.toFixed(6)},\n#EXT-X-BYTERANGE:${bytes}@${start}\n${uri}`,
    ),
    '#EXT-X-ENDLIST\n',
  ].join('\n');
}
