import type { Size } from '../geometry.ts';
import type { VideoCodec, VideoFormat, VideoPlan } from '../step.ts';
import { hasLongFrames } from './rendition.ts';
import { isHuge, isLarge } from './threads.ts';

/** Encoder of a codec. */
interface Coding {
  /** For messages. */
  name: string;
  /** Encoder as ffmpeg names it, and the library that provides it. */
  encoder: string;
  library: string;
  /** Minimum width and height, in pixels. */
  leastSide: number;
  formats: readonly VideoFormat[];
  /** Arguments except the encoder and the quality. */
  settings(plan: VideoPlan): string[];
}

/** Sliced threads and a short lookahead: 450 MB for 4K instead of 900, for 10 % more bytes. */
const THRIFTY_X264 = 'sliced-threads=1:rc-lookahead=3:bframes=1';
/** Decoding order equals display order. */
const IN_ORDER_X264 = 'bframes=0';
/** Short lookahead: 310 MB for 1080p instead of 400, for 1 % more bytes. */
const THRIFTY_X265 = 'rc-lookahead=5:bframes=2';
const THRIFTIEST_X265 = 'rc-lookahead=2:bframes=0';
/** No lookahead: 350 MB for 1080p instead of 490, for 12 % more bytes. */
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
      // Lookahead has no effect in one pass at constant quality: same bytes without it, 350 MB less for 4K.
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
        // The encoder ignores ffmpeg's `-threads` and uses one thread per processor.
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
      // Apple players require this tag.
      ...['-preset', 'fast', '-tag:v', 'hvc1', '-profile:v', 'main', '-pix_fmt', 'yuv420p'],
      ...parameters('-x265-params', [
        'log-level=error',
        ...(threads === undefined ? [] : [`pools=${isHuge(layout.output) ? 1 : threads}`, 'frame-threads=1']),
        ...thrift(layout.output, THRIFTY_X265, THRIFTIEST_X265),
      ]),
    ],
  },
};

/** Returns the parameters that save memory at this output size. */
function thrift(size: Size, large: string, huge: string): string[] {
  if (isHuge(size)) return [huge];
  return isLarge(size) ? [large] : [];
}

function parameters(name: string, list: readonly string[]): string[] {
  return list.length === 0 ? [] : [name, list.join(':')];
}

/** Describes why a result is too small for a codec; undefined if it is not. @param size as far as it is known */
export function describeTooSmall(
  codec: VideoCodec,
  { width = Infinity, height = Infinity }: Partial<Size>,
): string | undefined {
  const { name, leastSide } = CODECS[codec];
  const side = Math.min(width, height);
  return side >= leastSide ? undefined : `${name} needs at least ${leastSide} pixels per side; the result has ${side}.`;
}

/** Describes the missing encoder library; undefined if ffmpeg has it. */
export function describeMissingLibrary(codec: VideoCodec, libraries: ReadonlySet<string>): string | undefined {
  const { name, library } = CODECS[codec];
  return libraries.has(library)
    ? undefined
    : `The server cannot encode ${name}: its ffmpeg was built without ${library}.`;
}

/** Returns the codec of a format if none is requested. */
export function defaultCodec(format: VideoFormat): VideoCodec {
  return format === 'webm' ? 'vp9' : 'h264';
}

/** Describes the formats that can hold a codec; undefined if this one can. */
export function describeUnsupportedFormat(codec: VideoCodec, format: VideoFormat): string | undefined {
  const { name, formats } = CODECS[codec];
  if (formats.includes(format)) return undefined;
  const holder = format === 'cmaf' ? 'a stream' : format.toUpperCase();
  return `${formats.map((fitting) => `f_${fitting}`).join(' or ')} with vc_${codec}: ${holder} cannot hold ${name}`;
}
