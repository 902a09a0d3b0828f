import { readFile, rm, writeFile } from 'node:fs/promises';
import { mendedGif } from '@darkroom/image-files/mend-gif';
import type { Colour } from '../../transformation/syntax.ts';
import type { VideoProbe } from '../source/probe.ts';
import { BT709_TAGS } from './colour.ts';

/** Time unit of GIF, in seconds. */
const TICK = 0.01;

/**
 * Returns arguments that give transparency a colour. Its alpha is 0: the decoder treats pixels of exactly this value as
 * transparent, and palette colours have 255.
 */
export function transparencyArguments({ red, green, blue }: Colour): string[] {
  return ['-trans_color', String((red << 16) | (green << 8) | blue)];
}

/**
 * Calls `work` with a GIF that ffmpeg decodes as browsers do: the file itself, or a corrected copy.
 * @param copy path that does not exist yet
 */
export async function withMendedGif<T>(file: string, copy: string, work: (gif: string) => Promise<T>): Promise<T> {
  const mended = mendedGif(await readFile(file));
  if (!mended) return work(file);
  try {
    await writeFile(copy, mended);
    return await work(copy);
  } finally {
    await rm(copy, { force: true });
  }
}

/** Returns filters that convert the colours of a GIF to those of a video, and hold its last frame. */
export function toVideo({ frames, videoDuration }: VideoProbe): string[] {
  return [
    // ffmpeg would silently use BT.601, and players interpret that differently.
    'scale=out_color_matrix=bt709:out_range=tv',
    BT709_TAGS,
    'format=yuv420p',
    ...(frames === undefined || videoDuration === undefined ? [] : holdLast(frames, videoDuration)),
  ];
}

/** Encoders show the last frame for an instant. A copy of it extends to the end of the GIF. */
function holdLast(frames: number, seconds: number): string[] {
  const last = (seconds - TICK).toFixed(3);
  return ['tpad=stop=1:stop_mode=clone', `setpts=if(gte(N\\,${frames})\\,round(${last}/TB)\\,PTS)`];
}
