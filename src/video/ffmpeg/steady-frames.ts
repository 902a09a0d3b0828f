import type { Size } from '../geometry.ts';
import type { VideoProbe } from '../source/probe.ts';
import { declareColour } from './colour.ts';

/** Codecs whose decoders mark each frame that is interlaced. */
const MARKING_CODECS: readonly string[] = [
  ...['h264', 'hevc', 'mpeg1video', 'mpeg2video', 'mpeg4', 'vc1', 'dvvideo', 'prores', 'mjpeg'],
  ...['rawvideo', 'v210'],
];
/** Of these, codecs whose streams do not say whether they are interlaced. */
const SILENT_CODECS: readonly string[] = ['mpeg2video', 'mpeg4', 'dvvideo'];

/** The filter against combs takes no smaller frames. */
const LEAST_SIDE = 4;

/** Formats that the filter for scaling writes as well as reads. */
const PLANAR_FORMATS = /^(yuv|gray|gbr)/;

/**
 * Filters that come first for moving images: frames of one size, in one pixel format, with their colours declared and without combs.
 * @param output size of the result; it is not needed where the result is RGB
 */
export function steadyFrames(probe: VideoProbe, output?: Size, neighbours: Neighbours = 'adjacent'): string[] {
  return [...fixSize(probe), ...declareColour(probe, output), ...deinterlace(probe, neighbours)];
}

/** Input arguments that belong to `steadyFrames`: a frame of another size does not start the filters anew. */
export function steadyArguments({ sizeMayChange }: VideoProbe): string[] {
  return sizeMayChange ? ['-reinit_filter:v', '0'] : [];
}

/**
 * The size and the pixel format that the stream begins with. Frames may have other sizes later, as recordings of WebRTC do; filters
 * started anew would forget what they have collected. Frames of another shape, as of a phone that is turned, get black bars.
 */
function fixSize({ sizeMayChange, upright, pixelFormat, hasAlpha }: VideoProbe): string[] {
  if (!sizeMayChange) return [];
  const box = `${upright.width}:${upright.height}`;
  // The filter for bars rounds sides down to whole pixels of chroma, and fails where the frame is larger then.
  const isOdd = upright.width % 2 === 1 || upright.height % 2 === 1 || pixelFormat.startsWith('yuv41');
  const bars = `:force_original_aspect_ratio=decrease,pad=${box}:-1:-1:eval=frame`;
  const size = `scale=${box}${isOdd ? '' : bars}`;
  const isAlphaAside = hasAlpha && pixelFormat === 'yuv420p';
  // Without a format, ffmpeg would convert here to what the result needs, before anything is dropped or scaled.
  return PLANAR_FORMATS.test(pixelFormat) ? [size, `format=${isAlphaAside ? 'yuva420p' : pixelFormat}`] : [size];
}

/** Frames that the filters see: all of them, or only some, such as key frames. */
type Neighbours = 'adjacent' | 'distant';

/** The filter that removes combs where the stream says that it is interlaced. One frame stays one frame. */
export function deinterlace({ fieldOrder, codec, upright }: VideoProbe, neighbours: Neighbours = 'adjacent'): string[] {
  const isMarked = MARKING_CODECS.includes(codec);
  const isTiny = Math.min(upright.width, upright.height) < LEAST_SIDE;
  if (isTiny || (fieldOrder === undefined && !SILENT_CODECS.includes(codec))) return [];
  // Motion is seen in the frames before and after. A frame alone would look as if nothing moved.
  const filter = neighbours === 'adjacent' ? 'bwdif=mode=send_frame' : 'estdif=mode=frame';
  if (isMarked) return [`${filter}:parity=auto:deint=interlaced`];
  return [`${filter}:parity=${fieldOrder === 'top' ? 'tff' : 'bff'}:deint=all`];
}
