import { oneOf } from '../../transformation/syntax.ts';
import { toVideo } from '../gif.ts';
import { defineStep, type FrameFormat, type PlaylistFormat, type VideoPlan } from '../step.ts';
import { FROM_THE_BEGINNING, PICTURE_FRAGMENTS } from '../streaming/rung.ts';
import { isLarge } from '../threads.ts';

const FRAME_FORMATS: readonly FrameFormat[] = ['avif', 'webp', 'jpeg', 'png', 'gif', 'best', 'json'];
const PLAYLIST_FORMATS: readonly PlaylistFormat[] = ['m3u8', 'hls', 'dash'];
const LATE: readonly string[] = ['best', 'json', 'cmaf', ...PLAYLIST_FORMATS];

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
      'The format of the result: `mp4` (H.264 and AAC), `webm` (VP9 and Opus), `mov`; an image format gives a single frame, and `json` [what is known of the video](facts.md). `hls` and `dash` [stream it](streaming.md) in several sizes: they are playlists of `cmaf` files, one for each size, of which `m3u8` is the playlist of one.',
    examples: ['w_320,f_webm', 'so_2,f_webp', 'f_hls'],
  },
  filters: (_value, { probe, format }) => [
    ...(probe.container === 'gif' ? toVideo(probe) : []),
    ...(format === 'cmaf' ? [FROM_THE_BEGINNING] : []),
  ],
  output(_value, plan) {
    if (plan.format === 'cmaf') return [...h264(plan), ...PICTURE_FRAGMENTS];
    return [...(plan.format === 'webm' ? vp9(plan) : mp4(plan)), '-f', plan.format];
  },
});

export function isFrameFormat(format: string | undefined): format is FrameFormat {
  return FRAME_FORMATS.some((candidate) => candidate === format);
}

export function isPlaylistFormat(format: string | undefined): format is PlaylistFormat {
  return PLAYLIST_FORMATS.some((candidate) => candidate === format);
}

/** Threads that share each frame, and few frames in hand: 450 MB for 4K instead of 900, for a tenth more bytes. */
const THRIFTY_X264 = 'sliced-threads=1:rc-lookahead=3:bframes=1';

function h264({ layout }: VideoPlan): string[] {
  return [
    ...['-c:v', 'libx264', '-preset', 'veryfast', '-profile:v', 'high', '-pix_fmt', 'yuv420p'],
    ...(isLarge(layout.output) ? ['-x264-params', THRIFTY_X264] : []),
  ];
}

function mp4(plan: VideoPlan): string[] {
  const { probe } = plan;
  return [
    ...h264(plan),
    ...(probe.audio ? ['-c:a', 'aac', '-b:a', '128k', ...stereo(probe.audio.channels)] : []),
    // The index first, so that a browser plays before it has the whole file; ticks fine enough for any frame rate.
    ...['-movflags', '+faststart', '-video_track_timescale', '90000'],
  ];
}

function vp9({ probe }: VideoPlan): string[] {
  return [
    ...['-c:v', 'libvpx-vp9', '-b:v', '0', '-deadline', 'good', '-cpu-used', '4', '-row-mt', '1'],
    // In one pass at a constant quality it makes nothing of frames ahead: the same bytes come out, 350 MB less for 4K.
    ...['-lag-in-frames', '0', '-pix_fmt', 'yuv420p'],
    ...(probe.audio ? ['-c:a', 'libopus', '-b:a', '112k', ...stereo(probe.audio.channels)] : []),
  ];
}

/** More than two channels are mixed down: not every player and not every encoder takes every layout. */
function stereo(channels: number): string[] {
  return channels > 2 ? ['-ac', '2'] : [];
}
