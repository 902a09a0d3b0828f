import { type CommandSettings, decoderArguments, MANNERS, threadArguments } from '../command.ts';
import { declareColour, mapTones } from '../filters/colour.ts';
import { openingArguments, type VideoProbe } from '../source/probe.ts';

/** Output arguments: only the first picture stream, no metadata, each frame once. */
const PICTURE = ['-map', '0:V:0', '-map_metadata', '-1', '-fps_mode', 'passthrough'];
/** Level 1, because the picture is read at once and then thrown away. */
const PNG = ['-pix_fmt', 'rgb24', '-c:v', 'png', '-compression_level', '1', '-f', 'image2', '-update', '1'];

/** Paths of local files. */
type FrameFiles = Record<'input' | 'output', string>;
type FrameSource = { probe: VideoProbe; settings: CommandSettings };

/**
 * The arguments with which ffmpeg writes the first frame at or after a time as a lossless PNG: upright, in square pixels,
 * SDR. Nothing is written when there is no such frame.
 * @param time seconds from the beginning
 */
export function frameArguments(files: FrameFiles, time: number, source: FrameSource): string[] {
  return [...seek(files, time, source), ...pictureFilters(source), '-frames:v', '1', ...PNG, `file:${files.output}`];
}

/** Like `frameArguments`, for the very last frame: everything from the last key frame on, each over the one before. */
export function lastFrameArguments(files: FrameFiles, source: FrameSource): string[] {
  const seeking = seek(files, source.probe.videoDuration ?? 0, source, ['-noaccurate_seek']);
  return [...seeking, ...pictureFilters(source), ...PNG, `file:${files.output}`];
}

/** Like `frameArguments`, but the frame is written as it was decoded, upright and with all its bits. */
export function rawFrameArguments(files: FrameFiles, time: number, source: FrameSource): string[] {
  // Nothing that comes after the frame is decoded for it.
  const one = ['-vf', 'trim=end_frame=1', '-frames:v', '1'];
  return [...seek(files, time, source), ...one, '-c:v', 'rawvideo', '-f', 'nut', `file:${files.output}`];
}

/** The arguments that turn a raw frame into what `frameArguments` writes. */
export function developArguments({ input, output }: FrameFiles, source: FrameSource): string[] {
  const opening = [...MANNERS, ...oneThread(source.settings), ...openingArguments('nut', input)];
  return [...opening, ...PICTURE, ...pictureFilters(source), ...PNG, `file:${output}`];
}

function seek({ input }: FrameFiles, time: number, { probe, settings }: FrameSource, how: string[] = []): string[] {
  const opening = [...decoderArguments(probe, settings), ...openingArguments(probe.container, input)];
  return [...MANNERS, ...oneThread(settings), ...how, '-ss', time.toFixed(6), ...opening, ...PICTURE];
}

/** One frame is too little work for several threads. */
function oneThread({ threads }: CommandSettings): string[] {
  return threadArguments('-filter_threads', threads === undefined ? undefined : 1);
}

function pictureFilters({ probe, settings }: FrameSource): string[] {
  const { upright, width, height } = probe;
  const isSquare = upright.width === width && upright.height === height;
  const filters = [
    ...declareColour(probe),
    ...(isSquare ? [] : [`scale=${width}:${height}`]),
    'setsar=1',
    ...(probe.isHdr && settings.canMapTones ? mapTones(probe, { width, height }, 'gbrp') : []),
  ];
  return ['-vf', filters.join(',')];
}
