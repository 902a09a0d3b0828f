import { copyFile } from 'node:fs/promises';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { colourPerSecond, H264, openStudio, type Studio, settings } from '../../test/video-samples.ts';
import { UndecodableVideo } from './ffmpeg/errors.ts';
import { ImpossibleTranscode } from './limits.ts';
import type { SourceKind } from './step.ts';
import type { VideoOptions } from './steps/index.ts';
import { makeWaveform } from './waveform.ts';
import { drawWaveform } from './waveform-image.ts';
import { Peaks } from './waveform-peaks.ts';

const BLACK = { red: 0, green: 0, blue: 0, alpha: 255 };
const NOTHING = { red: 0, green: 0, blue: 0, alpha: 0 };

let studio: Studio;
let count = 0;
beforeAll(async () => {
  studio = await openStudio();
});
afterAll(() => studio.close());

/** Reads the height and top of the line in each column, in pixels. */
async function linesOf(png: string | Buffer) {
  const { data, info } = await sharp(png).ensureAlpha().raw().toBuffer({ resolveWithObject: true });
  const { width, height } = info;
  return Array.from({ length: width }, (_, x) => {
    const rows = Array.from({ length: height }, (_, y) => y).filter((y) => data[(y * width + x) * 4 + 3]);
    return { top: rows[0] ?? -1, height: rows.length };
  });
}

async function waveformOf(input: string, options: VideoOptions = {}, source: SourceKind = 'video') {
  const output = studio.path(`waveform-${++count}`);
  const drawn = studio.path(`drawn-${count}.png`);
  const encodeStill = ({ input: png }: { input: string }) => copyFile(png, drawn);
  const job = { input, output, source, options: { waveform: true, width: 40, height: 20, ...options } };
  await makeWaveform(studio.tools, { ...settings, encodeStill }, job);
  return linesOf(drawn);
}

/** A second of silence, a second at full scale. */
const HALF = ['-f', 'lavfi', '-i', "aevalsrc='if(lt(t,1),0,if(gt(sin(2*PI*100*t),0),1,-1))':s=8000:d=2"];
const ENDS = { silent: { top: 10, height: 1 }, full: { top: 0, height: 20 } };

describe('a waveform', () => {
  test('is a flat line where there is silence, and full height at full scale', async () => {
    const lines = await waveformOf(await studio.make('half.wav', ...HALF), {}, 'sound');
    expect(lines.slice(0, 20)).toEqual(Array(20).fill(ENDS.silent));
    expect(lines.slice(20)).toEqual(Array(20).fill(ENDS.full));
  });

  test('shows audio that is loud in one of two channels', async () => {
    const one = ['-f', 'lavfi', '-i', "aevalsrc=exprs='0|0.5*sin(2*PI*100*t)':s=8000:d=1"];
    const lines = await waveformOf(await studio.make('one.wav', ...one), {}, 'sound');
    expect(lines[20]).toEqual({ top: 5, height: 10 });
  });

  test.each([
    ['mp3', ['-c:a', 'libmp3lame']],
    ['ogg', ['-c:a', 'libvorbis']],
    ['wav', ['-c:a', 'pcm_f32le']],
  ])('is made of %s', async (extension, codec) => {
    const lines = await waveformOf(await studio.make(`sound.${extension}`, ...HALF, ...codec), {}, 'sound');
    expect([lines[5]?.height, (lines[32]?.height ?? 0) >= 18]).toEqual([1, true]);
  });

  test('of a video is that of its audio, from its start to its end', async () => {
    const half = await studio.make('half2.wav', ...HALF);
    const film = await studio.make('film.mp4', ...colourPerSecond(), '-i', half, '-c:a', 'aac', ...H264, '-t', '2');
    const whole = await waveformOf(film);
    expect([whole[5]?.height, (whole[32]?.height ?? 0) >= 18]).toEqual([1, true]);
    const part = await waveformOf(film, { startOffset: 1.2, endOffset: 1.8 });
    expect(part.every(({ height }) => height >= 18)).toBe(true);
  });

  test('needs audio, also where it begins', async () => {
    const silent = await studio.make('silent.mp4', ...colourPerSecond(), ...H264);
    const failed = await waveformOf(silent).catch((error) => error);
    expect([failed instanceof ImpossibleTranscode, failed.message]).toEqual([true, 'The video has no audio to draw.']);
    const half = await studio.make('half3.wav', ...HALF);
    await expect(waveformOf(half, { startOffset: 9 }, 'sound')).rejects.toThrow(UndecodableVideo);
  });
});

test('audio of any length is held in the same memory, and no peak is lost', () => {
  const peaks = new Peaks(2);
  const silence = Buffer.alloc(65_536);
  const click = Buffer.alloc(65_536);
  click.writeInt16LE(-32_768, 40_000);
  click.writeInt16LE(32_767, 40_002);
  // About 50 MB: five minutes of CD audio, in chunks that split samples.
  for (let index = 0; index < 800; index++) {
    const chunk = index === 600 ? click : silence;
    peaks.add(chunk.subarray(0, 33_333));
    peaks.add(chunk.subarray(33_333));
  }
  const loud = peaks.in(800).flatMap(({ low, high }, column) => (high > 0 ? [[column, low, high]] : []));
  expect(loud).toEqual([[600, -1, 1]]);
});

test('audio with fewer samples than columns shows each of them', () => {
  const peaks = new Peaks(1);
  peaks.add(Buffer.from(new Int16Array([0, 32_767]).buffer));
  expect(peaks.in(4).map(({ high }) => high)).toEqual([0, 0, 1, 1]);
});

test('lines begin and end at the pixel of their peak, at any width', async () => {
  const inspect = { width: 13, height: 10, colour: BLACK, background: NOTHING };
  const levels = [0, 0.2, 0.5, 1];
  const png = drawWaveform(
    Array.from({ length: 13 }, (_, x) => ({ low: 0, high: levels[x % 4] ?? 0 })),
    inspect,
  );
  const lines = await linesOf(png);
  expect(lines.slice(0, 4)).toEqual([
    { top: 5, height: 1 },
    { top: 4, height: 1 },
    { top: 3, height: 2 },
    { top: 0, height: 5 },
  ]);
  expect(lines[12]).toEqual({ top: 5, height: 1 });
});
