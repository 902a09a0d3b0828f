import type { Size } from '../geometry.ts';
import type { VideoCodec, VideoFormat, VideoPlan } from '../step.ts';
import { hasLongFrames } from './rendition.ts';
import { isHuge, isLarge } from './threads.ts';

/** How the picture of a video is coded. */
interface Coding {
  /** For messages. */
  name: string;
  /** ffmpeg's encoder, and the library that brings it. */
  encoder: string;
  library: string;
  /** The least width and height that it takes, in pixels. */
  leastSide: number;
  /** The formats that hold it. */
  formats: readonly VideoFormat[];
  /** Arguments beside the encoder and the quality. */
  settings(plan: VideoPlan): string[];
}

/** Threads that share each frame, and few frames in hand: 450 MB for 4K instead of 900, for a tenth more bytes. */
const THRIFTY_X264 = 'sliced-threads=1:rc-lookahead=3:bframes=1';
/** Frames are coded in the order in which they are shown. */
const IN_ORDER_X264 = 'bframes=0';
/** Few frames in hand: 310 MB for 1080p instead of 400, for a hundredth more bytes. */
const THRIFTY_X265 = 'rc-lookahead=5:bframes=2';
const THRIFTIEST_X265 = 'rc-lookahead=2:bframes=0';
/** No frames ahead: 350 MB for 1080p instead of 490, for an eighth more bytes. */
const THRIFTY_AV1 = 'lookahead=0';
const THRIFTIEST_AV1 = 'lookahead=0:hierarchical-levels=3';

export const CODECS: Readonly<Record<VideoCodec, Coding>> = {
  h264: {
    name: 'H.264',
    encoder: 'libx264',
    library: 'libx264',
    leastSide: 2,
    formats: ['mp4', 'mov', 'cmaf'],
    settings: (plan) => [
      ...['-preset', 'veryfast', '-profile:v', 'high', '-pix_fmt', 'yuv420p'],
      ...parameters('-x264-params', [
        ...(isLarge(plan.layout.output) ? [THRIFTY_X264] : []),
        ...(plan.format === 'cmaf' && hasLongFrames(plan) ? [IN_ORDER_X264] : []),
      ]),
    ],
  },
  vp9: {
    name: 'VP9',
    encoder: 'libvpx-vp9',
    library: 'libvpx',
    leastSide: 2,
    formats: ['webm'],
    settings: () => [
      ...['-b:v', '0', '-deadline', 'good', '-cpu-used', '4', '-row-mt', '1'],
      // In one pass at a constant quality it makes nothing of frames ahead: the same bytes come out, 350 MB less for 4K.
      ...['-lag-in-frames', '0', '-pix_fmt', 'yuv420p'],
    ],
  },
  av1: {
    name: 'AV1',
    encoder: 'libsvtav1',
    library: 'libsvtav1',
    leastSide: 64,
    formats: ['mp4', 'webm'],
    settings: ({ layout, threads }) => [
      ...['-preset', '10', '-pix_fmt', 'yuv420p'],
      ...parameters('-svtav1-params', [
        // It takes as many threads as there are processors, whatever ffmpeg says.
        ...(threads === undefined ? [] : [`lp=${isHuge(layout.output) ? 1 : threads}`]),
        ...thrift(layout.output, THRIFTY_AV1, THRIFTIEST_AV1),
      ]),
    ],
  },
  h265: {
    name: 'H.265',
    encoder: 'libx265',
    library: 'libx265',
    leastSide: 16,
    formats: ['mp4', 'mov'],
    settings: ({ layout, threads }) => [
      // Players of Apple know it by this tag alone.
      ...['-preset', 'fast', '-tag:v', 'hvc1', '-profile:v', 'main', '-pix_fmt', 'yuv420p'],
      ...parameters('-x265-params', [
        'log-level=error',
        ...(threads === undefined ? [] : [`pools=${isHuge(layout.output) ? 1 : threads}`, 'frame-threads=1']),
        ...thrift(layout.output, THRIFTY_X265, THRIFTIEST_X265),
      ]),
    ],
  },
};

/** What saves memory with results of this size. */
function thrift(size: Size, large: string, huge: string): string[] {
  if (isHuge(size)) return [huge];
  return isLarge(size) ? [large] : [];
}

function parameters(name: string, list: readonly string[]): string[] {
  return list.length === 0 ? [] : [name, list.join(':')];
}

/**
 * Why a result is too small for a codec, in words; undefined when it is not.
 * @param size as far as it is known
 */
export function describeTooSmall(
  codec: VideoCodec,
  { width = Infinity, height = Infinity }: Partial<Size>,
): string | undefined {
  const { name, leastSide } = CODECS[codec];
  const side = Math.min(width, height);
  return side >= leastSide
    ? undefined
    : `${name} takes sides of ${leastSide} pixels and more; one of the result has ${side}.`;
}

/** Why ffmpeg cannot make such a video, in words; undefined when it can. */
export function describeMissingLibrary(codec: VideoCodec, libraries: ReadonlySet<string>): string | undefined {
  const { name, library } = CODECS[codec];
  return libraries.has(library) ? undefined : `The server makes no ${name}: its ffmpeg was built without ${library}.`;
}

/** The codec of a format where none is asked for. */
export function defaultCodec(format: VideoFormat): VideoCodec {
  return format === 'webm' ? 'vp9' : 'h264';
}

/** Why a format cannot hold a codec, in words; undefined when it can. */
export function describeUnsupportedFormat(codec: VideoCodec, format: VideoFormat): string | undefined {
  const { name, formats } = CODECS[codec];
  if (formats.includes(format)) return undefined;
  const holder = format === 'cmaf' ? 'a stream' : format.toUpperCase();
  return `${formats.map((fitting) => `f_${fitting}`).join(' or ')} beside vc_${codec}, for ${holder} holds no ${name}`;
}
