import type { Fragments } from '../../video/source/fragments.ts';
import { bandwidthOf } from './bandwidth.ts';
import { HLS_VERSION } from './media-playlist.ts';

/** A rung that is ready. */
export interface ReadyRung {
  fragments: Fragments;
  /** Of its playlist, or in a manifest of the file itself; relative to what names it. */
  uri: string;
}

/** What a player can choose from. */
export interface ReadyLadder {
  /** The lowest first. */
  pictures: readonly ReadyRung[];
  sound: ReadyRung | undefined;
  /** Frames a second; null where it is not known. */
  frameRate: number | null;
}

const SOUND = 'sound';

/** The playlist of playlists, as HLS has it (RFC 8216, 4.3.4). */
export function writeMasterPlaylist({ pictures, sound, frameRate }: ReadyLadder): string {
  const heard = sound && bandwidthOf(sound.fragments);
  const variants = pictures.map(({ fragments, uri }) => {
    const { size, codec } = fragments;
    const { peak, average } = bandwidthOf(fragments);
    const attributes = [
      `BANDWIDTH=${peak + (heard?.peak ?? 0)}`,
      `AVERAGE-BANDWIDTH=${average + (heard?.average ?? 0)}`,
      `CODECS="${[codec, ...(sound ? [sound.fragments.codec] : [])].join(',')}"`,
      ...(size ? [`RESOLUTION=${size.width}x${size.height}`] : []),
      ...(frameRate === null ? [] : [`FRAME-RATE=${frameRate.toFixed(3)}`]),
      ...(sound ? [`AUDIO="${SOUND}"`] : []),
    ];
    return `#EXT-X-STREAM-INF:${attributes.join(',')}\n${uri}`;
  });
  return [
    '#EXTM3U',
    `#EXT-X-VERSION:${HLS_VERSION}`,
    '#EXT-X-INDEPENDENT-SEGMENTS',
    ...(sound ? [writeSound(sound)] : []),
    ...variants,
    '',
  ].join('\n');
}

function writeSound({ fragments: { channels = 2 }, uri }: ReadyRung): string {
  const attributes = [
    ...['TYPE=AUDIO', `GROUP-ID="${SOUND}"`, 'NAME="Sound"', 'DEFAULT=YES', 'AUTOSELECT=YES'],
    ...[`CHANNELS="${channels}"`, `URI="${uri}"`],
  ];
  return `#EXT-X-MEDIA:${attributes.join(',')}`;
}
