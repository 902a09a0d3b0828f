import type { Size } from '../geometry.ts';
import type { VideoProbe } from '../source/probe.ts';
import { declareColour } from './colour.ts';

/** Codecs whose decoders mark each interlaced frame. */
const MARKING_CODECS: readonly string[] = [
  ...['h264', 'hevc', 'mpeg1video', 'mpeg2video', 'mpeg4', 'vc1', 'dvvideo', 'prores', 'mjpeg'],
  ...['rawvideo', 'v210'],
];
/** Those among them whose streams do not say whether they are interlaced. */
const SILENT_CODECS: readonly string[] = ['mpeg2video', 'mpeg4', 'dvvideo'];

/** Minimum side for the deinterlacing filters. */
const LEAST_SIDE = 4;

/** Formats that `scale` can read and write. */
const PLANAR_FORMATS = /^(yuv|gray|gbr)/;

/**
 * Returns the first filters of a moving result: one frame size, one pixel format, declared colours, no interlacing.
 * @param output size of the result; not needed if the result is RGB
 */
export function steadyFrames(probe: VideoProbe, output?: Size, neighbours: Neighbours = 'adjacent'): string[] {
  return [...fixSize(probe), ...declareColour(probe, output), ...deinterlace(probe, neighbours)];
}

/** Input arguments for `steadyFrames`: a frame of another size does not restart the filters. */
export function steadyArguments({ sizeMayChange }: VideoProbe): string[] {
  return sizeMayChange ? ['-reinit_filter:v', '0'] : [];
}

/**
 * Scales to the size and pixel format of the first frame. Later frames may differ, as in WebRTC recordings, and
 * restarted filters would lose their state. Another aspect ratio, as of a phone that is turned, gets black bars.
 */
function fixSize({ sizeMayChange, upright, pixelFormat, hasAlpha }: VideoProbe): string[] {
  if (!sizeMayChange) return [];
  const box = `${upright.width}:${upright.height}`;
  // `pad` rounds sides down to whole chroma pixels, and fails if the frame is larger then.
  const isOdd = upright.width % 2 === 1 || upright.height % 2 === 1 || pixelFormat.startsWith('yuv41');
  const bars = `:force_original_aspect_ratio=decrease,pad=${box}:-1:-1:eval=frame`;
  const size = `scale=${box}${isOdd ? '' : bars}`;
  const isAlphaAside = hasAlpha && pixelFormat === 'yuv420p';
  // Without a format, ffmpeg would convert to the output format here, before frames are dropped or scaled.
  return PLANAR_FORMATS.test(pixelFormat) ? [size, `format=${isAlphaAside ? 'yuva420p' : pixelFormat}`] : [size];
}

/** Frames that the filters see: all, or only some, such as key frames. */
type Neighbours = 'adjacent' | 'distant';

/** Returns the deinterlacing filter if the stream is interlaced. The number of frames stays the same. */
export function deinterlace({ fieldOrder, codec, upright }: VideoProbe, neighbours: Neighbours = 'adjacent'): string[] {
  const isMarked = MARKING_CODECS.includes(codec);
  const isTiny = Math.min(upright.width, upright.height) < LEAST_SIDE;
  if (isTiny || (fieldOrder === undefined && !SILENT_CODECS.includes(codec))) return [];
  // Motion shows in adjacent frames only. Distant frames would look static.
  const filter = neighbours === 'adjacent' ? 'bwdif=mode=send_frame' : 'estdif=mode=frame';
  if (isMarked) return [`${filter}:parity=auto:deint=interlaced`];
  return [`${filter}:parity=${fieldOrder === 'top' ? 'tff' : 'bff'}:deint=all`];
}
