import { readFile, writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hear } from '../../test/sound-samples.ts';
import { colourPerSecond, H264, openStudio, type Studio, settings } from '../../test/video-samples.ts';
import { makeProduct } from './make-product.ts';
import { probeVideo } from './source/probe.ts';
import type { SourceKind } from './step.ts';
import type { VideoOptions } from './steps/index.ts';

const SECONDS = 2;
const PCM = ['-c:a', 'pcm_s16le', '-t', String(SECONDS)];
const IMAGE = colourPerSecond('32x32', 5);

let studio: Studio;
beforeAll(async () => {
  studio = await openStudio();
});
afterAll(() => studio.close());

/** Input of ffmpeg: the same tone in every channel. */
function tones(count: number, layout: string): string[] {
  const copies = Array.from({ length: count }, (_, channel) => `c${channel}=c0`).join('|');
  return ['-f', 'lavfi', '-i', `sine=frequency=440:duration=${SECONDS},pan=${layout}|${copies}`];
}

/** Samples of 16 bits, each repeated for every channel. */
function inEveryChannel(mono: Buffer, channels: number): Buffer {
  const samples = Buffer.alloc(mono.length * channels);
  for (let at = 0; at + 2 <= mono.length; at += 2) {
    for (let channel = 0; channel < channels; channel++) mono.copy(samples, at * channels + 2 * channel, at, at + 2);
  }
  return samples;
}

let count = 0;
async function made(input: string, options: VideoOptions, source: SourceKind = 'video'): Promise<string> {
  const output = studio.path(`made-${++count}`);
  const job = { input, output, options, source };
  await makeProduct(studio.tools, { ...settings, encodeStill: async () => undefined }, job);
  return output;
}

async function expectTone(file: string, what: string): Promise<void> {
  const heard = await hear(studio, file);
  expect(Math.abs(heard.hertz - 440), what).toBeLessThan(2);
  expect(Math.abs(heard.seconds - SECONDS), what).toBeLessThan(0.15);
  expect(heard.peak, what).toBeGreaterThan(0.05);
  expect(Number((await studio.stream(file, 'a')).channels), what).toBeLessThanOrEqual(2);
}

describe('audio of many channels is heard', () => {
  test.each([3, 6, 8, 9, 10, 12, 16, 24, 60, 64])('%i that no layout names', async (number) => {
    const mono = await studio.make('mono.raw', ...tones(1, 'mono'), '-f', 's16le', '-ar', '48000');
    const copies = studio.path('copies.raw');
    await writeFile(copies, inEveryChannel(await readFile(mono), number));
    const sound = ['-f', 's16le', '-ac', String(number), '-ar', '48000', '-i', copies];
    const film = await studio.make(`${number}.mov`, ...IMAGE, ...sound, ...H264, '-c:a', 'copy');
    const stored = await studio.make(`${number}.wav`, ...sound, '-c:a', 'copy');
    expect((await probeVideo(studio.tools, film)).audio?.channels).toBe(number);
    for (const options of [{}, { format: 'webm', loudness: true }, { format: 'cmaf', audio: 'aac' }] as const) {
      await expectTone(await made(film, options), JSON.stringify(options));
    }
    await expectTone(await made(film, { audio: 'mp3' }), 'sound alone');
    await expectTone(await made(stored, { audio: 'opus', loudness: true }, 'sound'), 'stored sound');
    await made(film, { waveform: true });
    await made(stored, { waveform: true }, 'sound');
  });

  test.each([
    ['2.1', 3],
    ['quad', 4],
    ['5.0', 5],
    ['5.1', 6],
    ['5.1(side)', 6],
    ['6.1', 7],
    ['7.1', 8],
    ['7.1(wide)', 8],
    ['octagonal', 8],
    ['hexadecagonal', 16],
    ['22.2', 24],
  ] as const)('%s', async (layout, number) => {
    const film = await studio.make(`${number}.wav`, ...tones(number, layout), ...PCM);
    for (const options of [{ audio: 'aac' }, { audio: 'opus', loudness: true }] as const) {
      await expectTone(await made(film, options, 'sound'), JSON.stringify(options));
    }
    await made(film, { waveform: true }, 'sound');
  });
});

describe('audio of more channels than can be read', () => {
  test('leaves the video, and is an error as audio alone', async () => {
    const raw = studio.path('hundred.raw');
    await writeFile(raw, Buffer.alloc(100 * 2 * 8000));
    const input = ['-f', 's16le', '-ac', '100', '-ar', '8000', '-i', raw];
    const film = await studio.make('hundred.mov', ...IMAGE, ...input, ...H264, '-c:a', 'copy');
    expect((await probeVideo(studio.tools, film)).audio).toBeUndefined();
    const file = await made(film, {});
    expect(await studio.stream(file, 'a')).toEqual({});
    expect(await studio.frames(file)).toHaveLength(20);
    const reason = 'The audio has 100 channels; at most 64 can be read.';
    await expect(made(film, { audio: 'mp3' })).rejects.toThrow(reason);
    const stored = await studio.make('hundred.wav', ...input, '-c:a', 'copy');
    await expect(made(stored, { audio: 'mp3' }, 'sound')).rejects.toThrow(reason);
  });
});
