import { type CommandSettings, convertsColours, decoderArguments, MANNERS } from '../command.ts';
import { convertColours, SRGB_TAGS } from '../filters/colour.ts';
import { layOverGround } from '../filters/ground.ts';
import { steadyArguments, steadyFrames } from '../filters/steady.ts';
import { openingArguments, type VideoProbe } from '../source/probe.ts';
import { groundOf } from '../steps/background.ts';
import type { StoryboardPlan } from './plan.ts';

export interface StoryboardCommand {
  /** Paths of local files; the sheet is a PNG. */
  input: string;
  output: string;
  plan: StoryboardPlan;
  probe: VideoProbe;
  /** Whether key frames alone are decoded. */
  isQuick: boolean;
}

/** The arguments with which ffmpeg makes the sheet. It counts each tile as a frame, so that its progress is seen. */
export function storyboardArguments(
  { input, output, plan, probe, isQuick }: StoryboardCommand,
  settings: CommandSettings,
): string[] {
  const { count, columns, rows } = plan;
  const tiles = [...tileFilters(plan, probe, settings), 'split[seen][kept]'].join(',');
  const graph = `[0:V:0]${tiles};[kept]tile=${columns}x${rows}:nb_frames=${count},${SRGB_TAGS}[sheet]`;
  return [
    ...MANNERS,
    // Tiles are small.
    ...(settings.threads === undefined ? [] : ['-filter_complex_threads', '1']),
    ...decoderArguments(probe, settings),
    ...steadyArguments(probe),
    ...(isQuick ? ['-skip_frame', 'nokey'] : []),
    ...openingArguments(probe.container, input),
    ...['-filter_complex', graph],
    ...['-map', '[seen]', '-frames:v', String(count), '-f', 'null', '-'],
    ...['-map', '[sheet]', '-frames:v', '1', '-map_metadata', '-1'],
    // Level 1, because the picture is read at once and then thrown away.
    ...['-c:v', 'png', '-compression_level', '1', '-f', 'image2', '-update', '1', `file:${output}`],
  ];
}

/** Each tile is the last frame that is decoded at or before the beginning of its time, the first one before the first. */
function tileFilters(
  { tile, count, interval }: StoryboardPlan,
  probe: VideoProbe,
  settings: CommandSettings,
): string[] {
  const milliseconds = Math.round(1000 * count * interval);
  const plan = { probe, convertsColours: convertsColours(probe, settings) };
  const isConverted = plan.convertsColours && !probe.hasAlpha;
  return [
    ...steadyFrames(probe, undefined, 'distant'),
    // Rounded up: a frame belongs to the first tile whose time it is not after.
    ...(milliseconds > 0 ? [`fps=fps=${1000 * count}/${milliseconds}:round=up:start_time=0`] : []),
    ...layOverGround(plan, groundOf(undefined)),
    `scale=${tile.width}:${tile.height}`,
    'setsar=1',
    ...(isConverted ? convertColours(probe, tile, 'gbrp') : []),
    'format=rgb24',
    // The last frame stays for as many tiles as are left.
    'tpad=stop=-1:stop_mode=clone',
    `trim=end_frame=${count}`,
  ];
}
