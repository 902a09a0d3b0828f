import { readFile, writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { withAudioCoding, withFlags, withNoise } from '../../../test/mp4-patches.ts';
import { hear, toneAt } from '../../../test/sound-samples.ts';
import { colourPerSecond, H264, openStudio, type Studio, settings } from '../../../test/video-samples.ts';
import { makeProduct } from '../make-product.ts';
import type { VideoOptions } from '../steps/index.ts';
import { probeVideo } from './probe.ts';

const encodeStill = () => Promise.reject(new Error('No image is made of audio.'));

let studio: Studio;
/** Two audio tracks, of 440 and 880 Hz. */
let film: Buffer;
beforeAll(async () => {
  studio = await openStudio();
  const tones = [...toneAt(48_000, 4), ...toneAt(44_100, 4, 880)];
  const maps = ['-map', '0:v', '-map', '1:a', '-map', '2:a'];
  film = await readFile(
    await studio.make('two.mp4', ...colourPerSecond('32x32', 5), ...tones, ...maps, ...H264, '-c:a', 'aac'),
  );
});
afterAll(() => studio.close());

async function written(bytes: Buffer): Promise<string> {
  const file = studio.path('film.mp4');
  await writeFile(file, bytes);
  return file;
}

async function made(input: string, options: VideoOptions): Promise<string> {
  const output = studio.path('made');
  await makeProduct(studio.tools, { ...settings, encodeStill }, { input, output, options });
  return output;
}

/** Measures the pitch of every product with the audio of a video, to 10 Hz. */
async function pitches(file: string): Promise<number[]> {
  const products: VideoOptions[] = [{}, { format: 'webm' }, { audio: 'mp3' }, { format: 'cmaf', audio: 'aac' }];
  const found: number[] = [];
  for (const options of products) {
    const { hertz } = await hear(studio, await made(file, options));
    found.push(10 * Math.round(hertz / 10));
  }
  return found;
}

describe('of several tracks of audio', () => {
  test('the first one is taken', async () => {
    const file = await written(film);
    expect((await probeVideo(studio.tools, file)).audio).toMatchObject({ index: 1, codec: 'aac', channels: 1 });
    expect(await pitches(file)).toEqual([440, 440, 440, 440]);
  });

  test.each(['apac', 'mha1', 'ac-4', 'dtse', 'zzzz'])('one in %s is passed over', async (coding) => {
    const file = await written(withAudioCoding(film, 0, coding));
    expect((await probeVideo(studio.tools, file)).audio).toMatchObject({ index: 2, codec: 'aac' });
    expect(await pitches(file)).toEqual([880, 880, 880, 880]);
  });

  test('one that is switched off comes after those that are not', async () => {
    for (const [first, second, expected] of [
      [3, 3, 1],
      [0, 3, 2],
      [0, 2, 2],
      [2, 3, 2],
      [0, 0, 1],
      [2, 2, 1],
      [3, 0, 1],
    ] as const) {
      const file = await written(withFlags(film, [first, second]));
      expect((await probeVideo(studio.tools, file)).audio?.index, `${first}, ${second}`).toBe(expected);
    }
    expect(await pitches(await written(withFlags(film, [0, 3])))).toEqual([880, 880, 880, 880]);
  });

  test('one that is switched off is better than one that cannot be decoded', async () => {
    const file = await written(withAudioCoding(withFlags(film, [3, 0]), 0, 'apac'));
    expect(await pitches(file)).toEqual([880, 880, 880, 880]);
  });

  test('one that is noise is passed over', async () => {
    const file = await written(withNoise(film, 0));
    expect((await probeVideo(studio.tools, file)).audio).toMatchObject({ index: 2 });
    expect(await pitches(file)).toEqual([880, 880, 880, 880]);
    expect((await probeVideo(studio.tools, await written(withNoise(film, 1)))).audio?.index).toBe(1);
  });

  test('noise in the only one leaves the video', async () => {
    const file = await written(withNoise(withAudioCoding(film, 1, 'apac'), 0));
    for (const format of ['mp4', 'webm'] as const) {
      expect(await studio.frames(await made(file, { format })), format).toHaveLength(20);
    }
  });

  test('in WebM the first one is taken, whichever is preferred', async () => {
    const file = await written(film);
    const vpx = ['-c:v', 'libvpx', '-deadline', 'realtime', '-c:a', 'libopus'];
    const flags = ['-disposition:a:0', '0', '-disposition:a:1', 'default'];
    const webm = await studio.make('two.webm', '-i', file, '-map', '0', ...vpx, ...flags);
    expect(await pitches(webm)).toEqual([440, 440, 440, 440]);
  });
});

describe('a video without audio that can be decoded', () => {
  test('is silent, and says why there is no audio alone', async () => {
    const file = await written(withAudioCoding(withAudioCoding(film, 0, 'apac'), 1, 'ac-4'));
    expect((await probeVideo(studio.tools, file)).audio).toBeUndefined();
    for (const format of ['mp4', 'webm'] as const) {
      expect(await studio.stream(await made(file, { format }), 'a')).toEqual({});
    }
    const reason = 'The audio is in a format that cannot be decoded (apac).';
    await expect(made(file, { audio: 'mp3' })).rejects.toThrow(reason);
    await expect(made(file, { format: 'cmaf', audio: 'aac' })).rejects.toThrow('The video has no audio.');
  });
});
