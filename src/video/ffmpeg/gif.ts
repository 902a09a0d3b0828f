import { readFile, rm, writeFile } from 'node:fs/promises';
import { mendedGif } from '@darkroom/image-files/mend-gif';
import type { Colour } from '../../transformation/syntax.ts';
import type { VideoProbe } from '../source/probe.ts';
import { BT709_TAGS } from './colour.ts';

/** The time unit of GIF, in seconds. */
const TICK = 0.01;

/**
 * Arguments that give transparency a colour. Alpha is 0 in it: the decoder takes pixels of this very value for transparent, and those
 * of the palette have 255.
 */
export function transparencyArguments({ red, green, blue }: Colour): string[] {
  return ['-trans_color', String((red << 16) | (green << 8) | blue)];
}

/**
 * Runs work with a GIF that ffmpeg shows as browsers do: the file, or a corrected copy of it.
 * @param copy a file that does not exist yet
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

/** Filters that bring the colours of a GIF into those of a video, and show its last frame for as long as the GIF does. */
export function toVideo({ frames, videoDuration }: VideoProbe): string[] {
  return [
    // ffmpeg would take BT.601 without saying so, and players do not agree on what that means.
    'scale=out_color_matrix=bt709:out_range=tv',
    BT709_TAGS,
    'format=yuv420p',
    ...(frames === undefined || videoDuration === undefined ? [] : holdLast(frames, videoDuration)),
  ];
}

/** The encoders show the last frame for an instant. A copy of it ends where the GIF does. */
function holdLast(frames: number, seconds: number): string[] {
  const last = (seconds - TICK).toFixed(3);
  return ['tpad=stop=1:stop_mode=clone', `setpts=if(gte(N\\,${frames})\\,round(${last}/TB)\\,PTS)`];
}
