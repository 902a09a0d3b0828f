import { declareColour, mapTones } from '../colour.ts';
import { type CommandSettings, decoderArguments, MANNERS, threadArguments } from '../command.ts';
import { openingArguments, type VideoProbe } from '../source/probe.ts';

/** Output arguments: only the first picture stream, no metadata, each frame once. */
const PICTURE = ['-map', '0:V:0', '-map_metadata', '-1', '-fps_mode', 'passthrough'];
/** Level 1, because the picture is read at once and then thrown away. */
const PNG = ['-pix_fmt', 'rgb24', '-c:v', 'png', '-compression_level', '1', '-f', 'image2', '-update', '1'];

/**
 * The arguments with which ffmpeg writes the first frame at or after a time as a lossless PNG: upright, in square pixels,
 * SDR. Nothing is written when there is no such frame.
 * @param time seconds from the beginning
 */
export function frameArguments(
  input: string,
  output: string,
  time: number,
  probe: VideoProbe,
  settings: CommandSettings,
): string[] {
  const filters = ['-vf', pictureFilters(probe, settings).join(',')];
  return [...seek(input, time, probe, settings), ...filters, '-frames:v', '1', ...PNG, `file:${output}`];
}

/**
 * Like `frameArguments`, for the very last frame: everything from the last key frame on, each over the one before.
 */
export function lastFrameArguments(
  input: string,
  output: string,
  probe: VideoProbe,
  settings: CommandSettings,
): string[] {
  const seeking = seek(input, probe.videoDuration ?? 0, probe, settings, ['-noaccurate_seek']);
  return [...seeking, '-vf', pictureFilters(probe, settings).join(','), ...PNG, `file:${output}`];
}

/** Like `frameArguments`, but the frame is written as it was decoded, upright and with all its bits. */
export function rawFrameArguments(
  input: string,
  output: string,
  time: number,
  probe: VideoProbe,
  settings: CommandSettings,
): string[] {
  // Nothing that comes after the frame is decoded for it.
  const one = ['-vf', 'trim=end_frame=1', '-frames:v', '1'];
  return [...seek(input, time, probe, settings), ...one, '-c:v', 'rawvideo', '-f', 'nut', `file:${output}`];
}

/** The arguments that turn a raw frame into what `frameArguments` writes. */
export function developArguments(
  input: string,
  output: string,
  probe: VideoProbe,
  settings: CommandSettings,
): string[] {
  const filters = ['-vf', pictureFilters(probe, settings).join(',')];
  return [
    ...MANNERS,
    ...oneThread(settings),
    ...openingArguments('nut', input),
    ...PICTURE,
    ...filters,
    ...PNG,
    `file:${output}`,
  ];
}

function seek(
  input: string,
  time: number,
  probe: VideoProbe,
  settings: CommandSettings,
  how: readonly string[] = [],
): string[] {
  const opening = [...decoderArguments(probe, settings), ...openingArguments(probe.container, input)];
  return [...MANNERS, ...oneThread(settings), ...how, '-ss', time.toFixed(6), ...opening, ...PICTURE];
}

/** One frame is too little work for several threads. */
function oneThread({ threads }: CommandSettings): string[] {
  return threadArguments('-filter_threads', threads === undefined ? undefined : 1);
}

function pictureFilters(probe: VideoProbe, settings: CommandSettings): string[] {
  const { upright, width, height } = probe;
  const isSquare = upright.width === width && upright.height === height;
  return [
    ...declareColour(probe),
    ...(isSquare ? [] : [`scale=${width}:${height}`]),
    'setsar=1',
    ...(probe.isHdr && settings.canMapTones ? mapTones(probe, { width, height }, 'gbrp') : []),
  ];
}
