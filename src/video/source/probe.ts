import { FfmpegFailed, UndecodableVideo } from '../ffmpeg/errors.ts';
import { type Ffmpeg, runFfprobe } from '../ffmpeg/run.ts';
import type { Size } from '../geometry.ts';
import { AUDIO_ENTRIES, type AudioTrack, chooseAudio, type RawAudio, readTrack } from './audio-track.ts';
import { type AnyContainer, type Container, type ContainerFacts, inspectContainer, isGif } from './container.ts';
import { DETAIL_ENTRIES, type MediaDetails, type RawFormat, readDetails, readNumber } from './details.ts';
import { LENGTH_ENTRIES, lengthOfStream, type RawLength } from './lengths.ts';
import type { Mp4Heads } from './mp4-heads.ts';
import { type FrameTraits, readTraits, TRAIT_ENTRIES } from './traits.ts';

/** Properties of a video before any of it is decoded. */
export interface VideoProbe extends Size, FrameTraits {
  container: Container | 'gif';
  /** True if the file is shorter than it claims. */
  isCutShort: boolean;
  /** Length of video or audio, whichever is longer, in seconds; undefined if the file does not say. */
  duration: number | undefined;
  /** Seconds of the video stream alone. */
  videoDuration: number | undefined;
  /** Start time on the file's clock, in seconds. */
  startTime: number;
  /** Size in stored pixels, turned upright. `width` and `height` are as displayed, in square pixels. */
  upright: Size;
  /** Degrees by which stored frames are turned for display: -180 to 180. */
  rotation: number;
  codec: string;
  pixelFormat: string;
  /** Average frames per second; undefined if the file does not say. */
  frameRate: number | undefined;
  /** Frames per second at the shortest distance between frames; undefined if the file does not say. */
  densestRate: number | undefined;
  /** Colour, as ffmpeg names it; undefined if the file does not say. */
  transfer: string | undefined;
  primaries: string | undefined;
  matrix: string | undefined;
  range: string | undefined;
  isHdr: boolean;
  /** Chosen audio track; undefined if none can be decoded. */
  audio: AudioTrack | undefined;
  /** Frame count stated in the file; undefined if missing or only estimated. */
  frames: number | undefined;
  details: MediaDetails;
}

const HDR_TRANSFERS: readonly string[] = ['smpte2084', 'arib-std-b67'];
const ENTRIES = [
  'stream=width,height,sample_aspect_ratio,pix_fmt,avg_frame_rate,r_frame_rate,nb_frames',
  'stream=color_transfer,color_primaries,color_space,color_range',
  'stream_disposition=attached_pic',
  'stream_side_data=rotation,displaymatrix',
  ...AUDIO_ENTRIES,
  ...LENGTH_ENTRIES,
  ...TRAIT_ENTRIES,
  ...DETAIL_ENTRIES,
].join(':');

/**
 * Reads the properties of a video.
 * @throws UndecodableVideo when it is not MP4, MOV or WebM, is damaged, or has no video stream
 */
export async function probeVideo(tools: Ffmpeg, file: string, signal?: AbortSignal): Promise<VideoProbe> {
  const facts = await requireContainer(file);
  const { container, isCutShort } = facts;
  return { container, isCutShort, ...(await probeStreams(tools, facts, file, signal)) };
}

/** Container of a video, and facts from its heads. */
interface VideoContainer extends Omit<ContainerFacts, 'container' | 'isEmpty'> {
  container: Container;
}

/** Detects the container of a video. @throws UndecodableVideo when it is not MP4, MOV or WebM */
export async function requireContainer(file: string): Promise<VideoContainer> {
  const { container, isEmpty, ...facts } = await inspectContainer(file);
  if (isEmpty) throw new UndecodableVideo('The file is empty.');
  if (!container) throw new UndecodableVideo('The file is not an MP4, MOV or WebM video.');
  return { ...facts, container };
}

/** @throws UndecodableVideo for a file that is shorter than it claims */
export function requireComplete({ isCutShort }: Pick<VideoProbe, 'isCutShort'>): void {
  if (isCutShort) throw new UndecodableVideo('The file ends too early; a part of the video is missing.');
}

/** Reads the properties of a GIF. @throws UndecodableVideo when it is not a GIF or is damaged */
export async function probeGif(tools: Ffmpeg, file: string, signal?: AbortSignal): Promise<VideoProbe> {
  if (!(await isGif(file))) throw new UndecodableVideo('The file is not a GIF.');
  const facts = { container: 'gif', contradictedEnd: undefined, hiddenTracks: [] } as const;
  const streams = await probeStreams(tools, facts, file, signal);
  // The decoder composes a GIF over its background, and draws each frame in full size.
  return { ...streams, container: 'gif', isCutShort: false, hasAlpha: false, sizeMayChange: false };
}

async function probeStreams(
  tools: Ffmpeg,
  { container, contradictedEnd, hiddenTracks }: Mp4Heads & Pick<VideoProbe, 'container'>,
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
  const { format, streams = [] } = JSON.parse(text) as RawProbe;
  const video = requireVideo(streams);
  const source = { opening: openingArguments(container, file), container, format, contradictedEnd, hiddenTracks };
  const audio = await chooseAudio(tools, source, streams, signal);
  const videoDuration = await lengthOfStream(tools, source, video, signal);
  const audioDuration = audio && (await lengthOfStream(tools, source, audio, signal));
  const duration = longest(videoDuration, audioDuration);
  return {
    ...readVideo(video),
    ...readTraits(video, tools.libraries),
    videoDuration,
    duration,
    startTime: readNumber(format?.start_time) ?? 0,
    audio: audio && readTrack(audio),
    details: readDetails(format, duration),
  };
}

/**
 * Returns arguments that open one file and nothing else. The demuxer is forced, so that a playlist named like a video
 * is not read as one. The only protocol is the local file.
 * @param container `nut` for a file that this service has written itself
 */
export function openingArguments(container: AnyContainer | 'nut', file: string): string[] {
  return ['-protocol_whitelist', 'file,pipe', '-f', container, '-i', `file:${file}`];
}

/** @throws UndecodableVideo if there is no video stream, or none that ffmpeg can decode */
function requireVideo(streams: readonly RawStream[]): RawVideo {
  const video = streams.find((stream) => stream.codec_type === 'video' && stream.disposition?.attached_pic !== 1);
  if (!video) throw new UndecodableVideo('The file has no video stream.');
  const { codec_name, width, height, pix_fmt } = video;
  if (!codec_name || !width || !height || !pix_fmt) {
    throw new UndecodableVideo('The video stream is damaged, or in a format that cannot be decoded.');
  }
  return { ...video, codec_name, width, height, pix_fmt };
}

function readVideo(video: RawVideo) {
  const rotation = rotationOf(video.side_data_list?.find((data) => data.rotation !== undefined));
  const isTurned = Math.abs(rotation) % 180 === 90;
  const storedAspect = readFraction(video.sample_aspect_ratio, ':') ?? 1;
  const pixelAspect = isTurned ? 1 / storedAspect : storedAspect;
  const upright = isTurned
    ? { width: video.height, height: video.width }
    : { width: video.width, height: video.height };
  return {
    upright,
    width: Math.max(1, Math.round(upright.width * pixelAspect)),
    height: upright.height,
    rotation,
    codec: video.codec_name,
    pixelFormat: video.pix_fmt,
    frameRate: readFraction(video.avg_frame_rate, '/'),
    densestRate: readFraction(video.r_frame_rate, '/'),
    transfer: known(video.color_transfer),
    primaries: known(video.color_primaries),
    matrix: known(video.color_space),
    range: known(video.color_range),
    isHdr: HDR_TRANSFERS.includes(video.color_transfer ?? ''),
    frames: readNumber(video.nb_frames),
  };
}

function longest(a: number | undefined, b: number | undefined): number | undefined {
  return a !== undefined && b !== undefined ? Math.max(a, b) : (a ?? b);
}

/** Parses `30000/1001` or `4:3`; undefined if a side is missing or 0. */
function readFraction(text: string | undefined, separator: string): number | undefined {
  const [above = 0, below = 0] = (text ?? '').split(separator).map(Number);
  return above > 0 && below > 0 ? above / below : undefined;
}

function known(name: string | undefined): string | undefined {
  return name === undefined || name === 'unknown' || name === 'reserved' ? undefined : name;
}

/** Fields of ffprobe's output that are read here. */
interface RawProbe {
  format?: RawFormat;
  streams?: RawStream[];
}

interface RawStream extends RawAudio, RawLength {
  width?: number;
  height?: number;
  sample_aspect_ratio?: string;
  pix_fmt?: string;
  avg_frame_rate?: string;
  r_frame_rate?: string;
  nb_frames?: string;
  color_transfer?: string;
  color_primaries?: string;
  color_space?: string;
  color_range?: string;
  disposition?: { attached_pic?: number; default?: number };
  field_order?: string;
  tags?: { DURATION?: string; alpha_mode?: string; ALPHA_MODE?: string };
  side_data_list?: DisplayMatrix[];
}

/** A video stream that ffmpeg can decode. */
type RawVideo = RawStream & { codec_name: string; width: number; height: number; pix_fmt: string };

/** Rotation and mirroring for display, as ffprobe writes it among the side data of a stream. */
interface DisplayMatrix {
  /** Degrees. */
  rotation?: number;
  /** Three lines of three numbers, each after a line number. */
  displaymatrix?: string;
}

/**
 * Returns the degrees by which stored frames are turned for display: -180 to 180. ffprobe reads only the first line of
 * the matrix and reports a mirror as half a turn; mirrored frames are not turned.
 */
function rotationOf({ rotation = 0, displaymatrix = '' }: DisplayMatrix = {}): number {
  const degrees = Math.round(rotation);
  const [first = [], second = []] = [...displaymatrix.matchAll(/^\d+:(.*)$/gm)].map(([, line = '']) =>
    line.trim().split(/\s+/).map(Number),
  );
  const [a = 1, b = 0] = first;
  const [c = 0, d = 1] = second;
  const isMirrored = a * d - b * c < 0;
  // ffprobe prints a signed zero.
  return isMirrored && Math.abs(degrees) === 180 ? 0 : degrees + 0;
}
