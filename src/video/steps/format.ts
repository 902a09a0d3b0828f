import { oneOf } from '../../transformation/syntax.ts';
import { toVideo } from '../ffmpeg/gif.ts';
import { FROM_THE_BEGINNING, VIDEO_FRAGMENTS } from '../ffmpeg/rendition.ts';
import { defineStep, type FrameFormat, type PlaylistFormat } from '../step.ts';

const FRAME_FORMATS: readonly FrameFormat[] = ['avif', 'webp', 'jpeg', 'png', 'gif', 'best', 'json'];
const PLAYLIST_FORMATS: readonly PlaylistFormat[] = ['m3u8', 'hls', 'dash', 'vtt'];
const LATE: readonly string[] = ['best', 'json', 'cmaf', ...PLAYLIST_FORMATS];

/** Index first, so that browsers can start early; ticks fine enough for any frame rate. */
const INDEX_FIRST = ['-movflags', '+faststart', '-video_track_timescale', '90000'];

export const format = defineStep({
  name: 'format',
  key: 'f',
  syntax: oneOf([...['mp4', 'webm', 'mov', 'cmaf'], ...PLAYLIST_FORMATS, ...FRAME_FORMATS] as const, {
    auto: 'mp4',
    jpg: 'jpeg',
  }),
  default: 'mp4',
  isLate: (value) => LATE.includes(value),
  reference: {
    summary:
      'Format of the result: `mp4` (H.264 and AAC), `webm` (VP9 and Opus) or `mov`, unless `vc` names another codec. An image format returns a single frame, `json` [the facts of the video](facts.md). `hls` and `dash` [stream it](streaming.md) in several sizes: they are playlists of `cmaf` files, one for each size; `m3u8` is the playlist of a single one. `vtt` is for storyboards (`sb`).',
    examples: ['w_320,f_webm', 'so_2,f_webp', 'f_hls'],
  },
  filters: (_value, { probe, format }) => [
    ...(probe.container === 'gif' ? toVideo(probe) : []),
    ...(format === 'cmaf' ? [FROM_THE_BEGINNING] : []),
  ],
  output(_value, { format }) {
    if (format === 'cmaf') return [...VIDEO_FRAGMENTS];
    return [...(format === 'webm' ? [] : INDEX_FIRST), '-f', format];
  },
});

export function isFrameFormat(format: string | undefined): format is FrameFormat {
  return FRAME_FORMATS.some((candidate) => candidate === format);
}

export function isPlaylistFormat(format: string | undefined): format is PlaylistFormat {
  return PLAYLIST_FORMATS.some((candidate) => candidate === format);
}
