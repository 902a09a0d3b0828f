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
 * Reads the properties of a video before frames are extracted.
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
 * Writes one frame as a lossless PNG: the first at or after the time; past the end, the last one.
 * @param probe result of `probeFrames`
 * @throws UndecodableVideo, ImpossibleTranscode when it takes too much memory, DiskFull, or the signal's reason
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

  /** True if a frame exists at or after that time. */
  async function write(at: number): Promise<boolean> {
    if (!probe.isHdr || !tools.canMapTones) return run(frameArguments({ input, output }, at, source));
    // Run decoder and filters one after the other: together they need twice the memory.
    const raw = `${output}.nut`;
    try {
      const exists = await run(rawFrameArguments({ input, output: raw }, at, source));
      return exists && (await run(developArguments({ input: raw, output }, source)));
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

/** Output arguments: first video stream only, no metadata, each frame once. */
const FRAME_OUTPUT = ['-map', '0:V:0', '-map_metadata', '-1', '-fps_mode', 'passthrough'];
/** Level 1, because the image is read immediately and then deleted. */
const PNG = ['-c:v', 'png', '-compression_level', '1', '-f', 'image2', '-update', '1'];

/** Paths of local files. */
type FrameFiles = Record<'input' | 'output', string>;
type FrameSource = { probe: VideoProbe; settings: CommandSettings };

/**
 * Returns the arguments that write the first frame at or after a time as a lossless PNG: upright, square pixels, sRGB,
 * with alpha. Without such a frame nothing is written.
 * @param time seconds from the beginning
 */
export function frameArguments(files: FrameFiles, time: number, source: FrameSource): string[] {
  return [...seek(files, time, source), ...frameFilters(source), '-frames:v', '1', ...PNG, `file:${files.output}`];
}

/**
 * Like `frameArguments`, for the last frame: decodes from the last key frame on, each frame overwriting the one before.
 */
function lastFrameArguments(files: FrameFiles, source: FrameSource): string[] {
  const seeking = seek(files, source.probe.videoDuration ?? 0, source, ['-noaccurate_seek']);
  return [...seeking, ...frameFilters(source), ...PNG, `file:${files.output}`];
}

/** Like `frameArguments`, but writes the decoded frame: upright, deinterlaced, at full bit depth. */
function rawFrameArguments(files: FrameFiles, time: number, source: FrameSource): string[] {
  // Stop decoding after the frame.
  const one = ['-vf', [...deinterlace(source.probe), 'trim=end_frame=1'].join(','), '-frames:v', '1'];
  return [...seek(files, time, source), ...one, '-c:v', 'rawvideo', '-f', 'nut', `file:${files.output}`];
}

/** Returns the arguments that convert a raw frame to the result of `frameArguments`. */
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

/** @param isRaw true for the output of `rawFrameArguments` */
function frameFilters({ probe, settings }: FrameSource, { isRaw = false } = {}): string[] {
  const { width, height, hasAlpha } = probe;
  const filters = [
    ...declareColour(probe),
    ...(isRaw ? [] : deinterlace(probe)),
    ...squarePixels(probe),
    'setsar=1',
    ...(convertsColours(probe, settings) ? convertColours(probe, { width, height }, hasAlpha ? 'gbrap' : 'gbrp') : []),
    // Explicit, because ffmpeg may otherwise convert before the filter that declares the colours.
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
  // Hidden colours must not bleed over visible edges.
  const planar = isRgb(probe) ? ['format=gbrap'] : [];
  return [...planar, 'premultiply=inplace=1', scale, 'unpremultiply=inplace=1'];
}
