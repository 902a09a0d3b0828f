import { FfmpegFailed } from '../ffmpeg/errors.ts';
import { type Ffmpeg, runFfprobe } from '../ffmpeg/run.ts';
import type { Size } from '../geometry.ts';
import { type Container, inspectContainer, isGif } from './container.ts';
import { DETAIL_ENTRIES, type MediaDetails, type RawFormat, readDetails, readNumber } from './details.ts';
import { type DisplayMatrix, rotationOf } from './rotation.ts';

/** The demuxers for sound alone. */
export type SoundContainer = 'wav' | 'mp3' | 'ogg';

/** What is known of a video before any of it is decoded. */
export interface VideoProbe extends Size {
  container: Container | 'gif';
  /** The file says of itself that it is longer than it is. */
  isCutShort: boolean;
  /** The length of picture or sound, whichever is longer, in seconds. Undefined when the file does not say it. */
  duration: number | undefined;
  /** Seconds of the picture alone. */
  videoDuration: number | undefined;
  /** The time of its beginning on the file's clock, in seconds. */
  startTime: number;
  /** The picture's size in stored pixels, turned upright. `width` and `height` are as displayed, in square pixels. */
  upright: Size;
  /** Degrees by which the stored picture is turned for display: -180 to 180. */
  rotation: number;
  /** Width of an upright pixel divided by its height. */
  pixelAspect: number;
  codec: string;
  pixelFormat: string;
  /** Frames per second, on average; undefined where the file does not say. */
  frameRate: number | undefined;
  /** Frames per second if all were as near to each other as some are; undefined where the file does not say. */
  densestRate: number | undefined;
  /** Colour, as ffmpeg names it; undefined where the file does not say. */
  transfer: string | undefined;
  primaries: string | undefined;
  matrix: string | undefined;
  range: string | undefined;
  isHdr: boolean;
  audio: { codec: string; channels: number } | undefined;
  /** Pictures that the file counts; undefined where it does not, and for what is only estimated. */
  frames: number | undefined;
  details: MediaDetails;
}

/** The video itself is to blame. The message is for the person who uploaded it. */
export class UndecodableVideo extends Error {
  override name = 'UndecodableVideo';
}

const HDR_TRANSFERS: readonly string[] = ['smpte2084', 'arib-std-b67'];
const ENTRIES = [
  'stream=codec_type,codec_name,width,height,sample_aspect_ratio,pix_fmt,avg_frame_rate,r_frame_rate,nb_frames,duration,channels',
  'stream=color_transfer,color_primaries,color_space,color_range',
  'stream_disposition=attached_pic',
  'stream_tags=DURATION',
  'stream_side_data=rotation,displaymatrix',
  ...DETAIL_ENTRIES,
].join(':');

/**
 * Reads what a file is.
 * @throws UndecodableVideo when it is no MP4, MOV or WebM, is damaged, or holds no picture
 */
export async function probeVideo(tools: Ffmpeg, file: string, signal?: AbortSignal): Promise<VideoProbe> {
  const { container, isCutShort } = await requireContainer(file);
  return { container, isCutShort, ...(await probeStreams(tools, container, file, signal)) };
}

/** The container of a video. @throws UndecodableVideo when it is no MP4, MOV or WebM */
export async function requireContainer(file: string): Promise<{ container: Container; isCutShort: boolean }> {
  const { container, isEmpty, isCutShort } = await inspectContainer(file);
  if (isEmpty) throw new UndecodableVideo('The file is empty.');
  if (!container) throw new UndecodableVideo('The file is not an MP4, MOV or WebM video.');
  return { container, isCutShort };
}

/** @throws UndecodableVideo for a file that says of itself that it is longer */
export function requireWhole({ isCutShort }: Pick<VideoProbe, 'isCutShort'>): void {
  if (isCutShort) throw new UndecodableVideo('The file ends too early; a part of the video is missing.');
}

/**
 * The same for a GIF.
 * @throws UndecodableVideo when it is none or is damaged
 */
export async function probeGif(tools: Ffmpeg, file: string, signal?: AbortSignal): Promise<VideoProbe> {
  if (!(await isGif(file))) throw new UndecodableVideo('The file is not a GIF.');
  return { container: 'gif', isCutShort: false, ...(await probeStreams(tools, 'gif', file, signal)) };
}

async function probeStreams(
  tools: Ffmpeg,
  container: VideoProbe['container'],
  file: string,
  signal: AbortSignal | undefined,
): Promise<Omit<VideoProbe, 'container' | 'isCutShort'>> {
  const text = await runFfprobe(
    tools,
    ['-v', 'error', ...openingArguments(container, file), '-show_entries', ENTRIES, '-of', 'json'],
    signal,
  ).catch((cause: unknown) => {
    if (!(cause instanceof FfmpegFailed) || cause.signal) throw cause;
    throw new UndecodableVideo(`The video cannot be read; it is damaged or incomplete (${cause.message}).`, { cause });
  });
  return readStreams(JSON.parse(text) as RawProbe);
}

/**
 * Arguments that open a file and nothing else. The demuxer is forced, so that a playlist under the name of a video is not read as
 * one. The only protocol is the local file, whatever the file refers to.
 * @param container `nut` for a file that this service has written itself
 */
export function openingArguments(container: VideoProbe['container'] | SoundContainer | 'nut', file: string): string[] {
  return ['-protocol_whitelist', 'file,pipe', '-f', container, '-i', `file:${file}`];
}

function readStreams({ format, streams = [] }: RawProbe): Omit<VideoProbe, 'container' | 'isCutShort'> {
  const video = streams.find((stream) => stream.codec_type === 'video' && stream.disposition?.attached_pic !== 1);
  if (!video) throw new UndecodableVideo('The file holds no video stream.');
  if (!video.codec_name || !video.width || !video.height || !video.pix_fmt) {
    throw new UndecodableVideo('The video stream is damaged, or in a format that cannot be decoded.');
  }
  const sound = streams.find((stream) => stream.codec_type === 'audio');
  const rotation = rotationOf(video.side_data_list?.find((data) => data.rotation !== undefined));
  const isTurned = Math.abs(rotation) % 180 === 90;
  const storedAspect = readFraction(video.sample_aspect_ratio, ':') ?? 1;
  const pixelAspect = isTurned ? 1 / storedAspect : storedAspect;
  const upright = isTurned
    ? { width: video.height, height: video.width }
    : { width: video.width, height: video.height };
  const videoDuration = streamDuration(video) ?? readNumber(format?.duration);
  const audio = sound?.codec_name && sound.channels ? { codec: sound.codec_name, channels: sound.channels } : undefined;
  return {
    duration: sound && audio ? longest(videoDuration, streamDuration(sound)) : videoDuration,
    videoDuration,
    startTime: readNumber(format?.start_time) ?? 0,
    upright,
    width: Math.max(1, Math.round(upright.width * pixelAspect)),
    height: upright.height,
    rotation,
    pixelAspect,
    codec: video.codec_name,
    pixelFormat: video.pix_fmt,
    frameRate: readFraction(video.avg_frame_rate, '/'),
    densestRate: readFraction(video.r_frame_rate, '/'),
    transfer: known(video.color_transfer),
    primaries: known(video.color_primaries),
    matrix: known(video.color_space),
    range: known(video.color_range),
    isHdr: HDR_TRANSFERS.includes(video.color_transfer ?? ''),
    audio,
    frames: readNumber(video.nb_frames),
    details: readDetails(format),
  };
}

/** Matroska writes the duration of a stream into a tag, as hours:minutes:seconds. */
function streamDuration({ duration, tags }: RawStream): number | undefined {
  const [hours, minutes, seconds] = (tags?.DURATION ?? '').split(':').map(Number);
  if (hours !== undefined && minutes !== undefined && seconds) return hours * 3600 + minutes * 60 + seconds;
  return readNumber(duration);
}

function longest(a: number | undefined, b: number | undefined): number | undefined {
  return a !== undefined && b !== undefined ? Math.max(a, b) : (a ?? b);
}

/** `30000/1001` or `4:3`; undefined when a side is missing or 0. */
function readFraction(text: string | undefined, separator: string): number | undefined {
  const [above = 0, below = 0] = (text ?? '').split(separator).map(Number);
  return above > 0 && below > 0 ? above / below : undefined;
}

function known(name: string | undefined): string | undefined {
  return name === undefined || name === 'unknown' || name === 'reserved' ? undefined : name;
}

/** What ffprobe writes, as far as it is read here. */
interface RawProbe {
  format?: RawFormat;
  streams?: RawStream[];
}

interface RawStream {
  codec_type?: string;
  codec_name?: string;
  width?: number;
  height?: number;
  sample_aspect_ratio?: string;
  pix_fmt?: string;
  avg_frame_rate?: string;
  r_frame_rate?: string;
  nb_frames?: string;
  duration?: string;
  channels?: number;
  color_transfer?: string;
  color_primaries?: string;
  color_space?: string;
  color_range?: string;
  disposition?: { attached_pic?: number };
  tags?: { DURATION?: string };
  side_data_list?: DisplayMatrix[];
}
