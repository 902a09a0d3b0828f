import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hear, toneAt } from '../../test/sound-samples.ts';
import { H264, openStudio, type Studio } from '../../test/video-samples.ts';
import type { VideoOptions } from './steps/index.ts';

const SECONDS = 3;
/** Encoders pad the beginning and the end: two of their frames at 8 kHz. */
const TOLERANCE = 0.3;

let studio: Studio;
beforeAll(async () => {
  studio = await openStudio();
});
afterAll(() => studio.close());

const film = (container: string, rate: number, ...coding: string[]) => {
  const image = container === 'mp4' || container === 'mov' ? H264 : ['-c:v', 'libvpx', '-deadline', 'realtime'];
  const colour = ['-f', 'lavfi', '-i', `color=red:s=64x64:r=25:d=${SECONDS}`];
  const name = `${coding.at(-1)}-${rate}.${container}`;
  return studio.make(name, ...colour, ...toneAt(rate, SECONDS), ...image, ...coding);
};

const OUTPUTS: readonly VideoOptions[] = [
  { format: 'webm' },
  { format: 'mp4' },
  { format: 'mov' },
  { format: 'webm', loudness: true },
  { format: 'mp4', loudness: true },
];

describe('audio of any rate keeps its length and its pitch', () => {
  test.each([
    ...[8000, 11_025, 16_000, 22_050, 32_000, 44_100, 48_000, 96_000].map((rate) => ['mp4', rate, 'aac'] as const),
    ...[8000, 44_100].map((rate) => ['mp4', rate, 'libmp3lame'] as const),
    ['mp4', 44_100, 'alac'],
    ['mp4', 44_100, 'ac3'],
    ['mov', 8000, 'pcm_mulaw'],
    ...[8000, 44_100, 192_000].map((rate) => ['mov', rate, 'pcm_s16le'] as const),
    ...[8000, 16_000, 22_050, 44_100, 48_000].map((rate) => ['webm', rate, 'libvorbis'] as const),
    ...[8000, 16_000, 48_000].map((rate) => ['webm', rate, 'libopus'] as const),
    ['mkv', 44_100, 'flac'],
  ] as const)('%s of %i Hz, %s', async (container, rate, codec) => {
    const source = await film(container, rate, '-strict', '-2', '-c:a', codec);
    for (const options of OUTPUTS) {
      const heard = await hear(studio, await studio.transcode(source, options));
      const what = JSON.stringify(options);
      expect(Math.abs(heard.seconds - SECONDS), what).toBeLessThan(TOLERANCE);
      expect(Math.abs(heard.hertz - 440), what).toBeLessThan(2);
      expect(heard.clicks, what).toBe(0);
    }
  });
});
