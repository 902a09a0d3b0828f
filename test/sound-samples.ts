import { readFile } from 'node:fs/promises';
import { runFfmpeg } from '../src/video/ffmpeg/run.ts';
import type { Studio } from './video-samples.ts';

const RATE = 48_000;

/** Audible properties of an audio file, measured on its decoded samples. */
export interface Heard {
  /** Length of the decoded samples. */
  seconds: number;
  /** Pitch, by the zero crossings between the first and the last tenth. */
  hertz: number;
  /** Steps between adjacent samples that no tone of this pitch and loudness has. */
  clicks: number;
  /** The greatest sample, from 0 to 1. */
  peak: number;
}

/** Returns an ffmpeg input: a mono tone at a sample rate. */
export function toneAt(rate: number, seconds: number, hertz = 440): string[] {
  return ['-f', 'lavfi', '-i', `sine=frequency=${hertz}:sample_rate=${rate}:duration=${seconds}`];
}

/** Decodes the first audio track of a file, mixed to mono. */
export async function hear({ tools, path }: Studio, file: string): Promise<Heard> {
  const raw = path('heard.raw');
  const output = ['-map', '0:a:0', '-ac', '1', '-ar', String(RATE), '-f', 's16le', raw];
  await runFfmpeg(tools, ['-v', 'error', '-y', '-i', file, ...output]);
  const bytes = await readFile(raw);
  const samples = new Int16Array(bytes.buffer, bytes.byteOffset, Math.floor(bytes.length / 2));
  const inner = samples.subarray(Math.floor(samples.length / 10), Math.floor(samples.length * 0.9));
  const peak = inner.reduce((most, sample) => Math.max(most, Math.abs(sample)), 0);
  const hertz = pitchOf(inner, peak / 4);
  const steepest = 2 * Math.PI * (hertz / RATE) * peak;
  const clicks = inner.reduce((count, sample, index) => {
    const step = Math.abs(sample - (inner[index - 1] ?? sample));
    return step > 2.5 * steepest + 50 ? count + 1 : count;
  }, 0);
  return { seconds: samples.length / RATE, hertz, clicks, peak: peak / 32_768 };
}

/** @param margin samples this near to zero are skipped, because noise crosses zero too */
function pitchOf(samples: Int16Array, margin: number): number {
  let isBelow = false;
  let first: number | undefined;
  let last = 0;
  let crossings = 0;
  for (const [index, sample] of samples.entries()) {
    if (sample < -margin) isBelow = true;
    if (sample <= margin || !isBelow) continue;
    isBelow = false;
    if (first === undefined) first = index;
    else crossings++;
    last = index;
  }
  return first === undefined || last === first ? 0 : (crossings * RATE) / (last - first);
}
