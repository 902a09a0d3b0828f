import { rm } from 'node:fs/promises';
import { convertColours, declareColour, isRgb, SRGB_TAGS } from './ffmpeg/colour.ts';
import {
  COMMON_ARGUMENTS,
  type CommandSettings,
  convertsColours,
  decoderArguments,
  threadArguments,
} from './ffmpeg/command.ts';
import { blameVideo, noFrame } from './ffmpeg/errors.ts';
import { type Ffmpeg, runFfmpeg } from './ffmpeg/run.ts';
import { deinterlace } from './ffmpeg/steady-frames.ts';
import { checkInput } from './limits.ts';
import { findLastFrame } from './source/frame-times.ts';
import { openingArguments, probeVideo, type VideoProbe } from './source/probe.ts';
import { commandSettings, type VideoSettings } from './transcode.ts';

export interface FrameExtraction {
  /** Local files; the output is overwritten. */
  input: string;
  output: string;
  /** Seconds. */
  time: number;
  signal?: AbortSignal | undefined;
}

/**
 * Examines a video before frames are taken out of it.
 * @throws UndecodableVideo, ImpossibleTranscode when its frames are over a limit, or the signal's reason
 */
export async function probeFrames(
  tools: Ffmpeg,
  { limits }: VideoSettings,
  input: string,
  signal?: AbortSignal,
): Promise<VideoProbe> {
  const probe = await probeVideo(tools, input, signal);
  checkInput(probe.upright, limits.inputPixels);
  return probe;
}

/**
 * Writes one frame of a video as a lossless PNG: the first at or after the time, past the end the last one.
 * @param probe what `probeFrames` found
 * @throws UndecodableVideo, ImpossibleTranscode when it takes too much memory, NoRoom, or the signal's reason
 */
export async function extractFrame(
  tools: Ffmpeg,
  settings: VideoSettings,
  probe: VideoProbe,
  { input, output, time, signal }: FrameExtraction,
): Promise<void> {
  const source = { probe, settings: commandSettings(tools, settings) };

  async function run(args: string[]): Promise<boolean> {
    const { frames } = await runFfmpeg(tools, args, { signal, stallMs: settings.stallMs }).catch(blameVideo);
    return frames > 0;
  }

  /** Whether there is a frame at that time. */
  async function write(at: number): Promise<boolean> {
    if (!probe.isHdr || !tools.canMapTones) return run(frameArguments({ input, output }, at, source));
    // Decoder and filters run one after the other, because together they need twice the memory.
    const raw = `${output}.nut`;
    try {
      const isThere = await run(rawFrameArguments({ input, output: raw }, at, source));
      return isThere && (await run(developArguments({ input: raw, output }, source)));
    } finally {
      await rm(raw, { force: true });
    }
  }

  const isPastEnd = time >= (probe.videoDuration ?? Number.POSITIVE_INFINITY);
  if (!isPastEnd && (await write(time))) return;
  const lastTime = await findLastFrame(tools, input, probe, signal);
  if (lastTime !== undefined && (await write(lastTime))) return;
  if (await run(lastFrameArguments({ input, output }, source))) return;
  throw noFrame();
}

/** Output arguments: only the first picture stream, no metadata, each frame once. */
const FRAME_OUTPUT = ['-map', '0:V:0', '-map_metadata', '-1', '-fps_mode', 'passthrough'];
/** Level 1, because the picture is read at once and then thrown away. */
const PNG = ['-c:v', 'png', '-compression_level', '1', '-f', 'image2', '-update', '1'];

/** Paths of local files. */
type FrameFiles = Record<'input' | 'output', string>;
type FrameSource = { probe: VideoProbe; settings: CommandSettings };

/**
 * The arguments with which ffmpeg writes the first frame at or after a time as a lossless PNG: upright, in square pixels,
 * as sRGB, with the alpha of the video. Nothing is written when there is no such frame.
 * @param time seconds from the beginning
 */
export function frameArguments(files: FrameFiles, time: number, source: FrameSource): string[] {
  return [...seek(files, time, source), ...frameFilters(source), '-frames:v', '1', ...PNG, `file:${files.output}`];
}

/** Like `frameArguments`, for the very last frame: everything from the last key frame on, each over the one before. */
function lastFrameArguments(files: FrameFiles, source: FrameSource): string[] {
  const seeking = seek(files, source.probe.videoDuration ?? 0, source, ['-noaccurate_seek']);
  return [...seeking, ...frameFilters(source), ...PNG, `file:${files.output}`];
}

/** Like `frameArguments`, but the frame is written as it was decoded, upright, without combs and with all its bits. */
function rawFrameArguments(files: FrameFiles, time: number, source: FrameSource): string[] {
  // Nothing that comes after the frame is decoded for it.
  const one = ['-vf', [...deinterlace(source.probe), 'trim=end_frame=1'].join(','), '-frames:v', '1'];
  return [...seek(files, time, source), ...one, '-c:v', 'rawvideo', '-f', 'nut', `file:${files.output}`];
}

/** The arguments that turn a raw frame into what `frameArguments` writes. */
function developArguments({ input, output }: FrameFiles, source: FrameSource): string[] {
  const opening = [...COMMON_ARGUMENTS, ...oneThread(source.settings), ...openingArguments('nut', input)];
  const filters = frameFilters(source, { isRaw: true });
  return [...opening, ...FRAME_OUTPUT, ...filters, ...PNG, `file:${output}`];
}

function seek({ input }: FrameFiles, time: number, { probe, settings }: FrameSource, how: string[] = []): string[] {
  const opening = [...decoderArguments(probe, settings), ...openingArguments(probe.container, input)];
  return [...COMMON_ARGUMENTS, ...oneThread(settings), ...how, '-ss', time.toFixed(6), ...opening, ...FRAME_OUTPUT];
}

/** One frame is too little work for several threads. */
function oneThread({ threads }: CommandSettings): string[] {
  return threadArguments('-filter_threads', threads === undefined ? undefined : 1);
}

/** @param isRaw true for what `rawFrameArguments` has written */
function frameFilters({ probe, settings }: FrameSource, { isRaw = false } = {}): string[] {
  const { width, height, hasAlpha } = probe;
  const filters = [
    ...declareColour(probe),
    ...(isRaw ? [] : deinterlace(probe)),
    ...squarePixels(probe),
    'setsar=1',
    ...(convertsColours(probe, settings) ? convertColours(probe, { width, height }, hasAlpha ? 'gbrap' : 'gbrp') : []),
    // Named, because ffmpeg may convert before the filter that declares the colours otherwise.
    'scale',
    `format=${hasAlpha ? 'rgba' : 'rgb24'}`,
    SRGB_TAGS,
  ];
  return ['-vf', filters.join(',')];
}

function squarePixels(probe: VideoProbe): string[] {
  const { upright, width, height, hasAlpha } = probe;
  if (upright.width === width && upright.height === height) return [];
  const scale = `scale=${width}:${height}`;
  if (!hasAlpha) return [scale];
  // Colours that are hidden must not bleed over the edges of what is seen.
  const planar = isRgb(probe) ? ['format=gbrap'] : [];
  return [...planar, 'premultiply=inplace=1', scale, 'unpremultiply=inplace=1'];
}
