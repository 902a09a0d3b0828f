import { copyFile } from 'node:fs/promises';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { H264, makeHdr, openStudio, type Studio, settings } from '../../test/video-samples.ts';
import type { VideoOptions } from './steps/index.ts';
import { makeStoryboard } from './storyboard.ts';
import { planStoryboard } from './storyboard-plan.ts';

let studio: Studio;
let count = 0;
beforeAll(async () => {
  studio = await openStudio();
});
afterAll(() => studio.close());

/** Draws the sheet, before it is encoded. */
async function sheetOf(input: string, options: VideoOptions = {}) {
  const output = studio.path(`sheet-${++count}`);
  const drawn = studio.path(`drawn-${count}.png`);
  const progress: number[] = [];
  await makeStoryboard(
    studio.tools,
    { ...settings, encodeStill: ({ input: png }) => copyFile(png, drawn) },
    { input, output, options: { storyboard: true, ...options }, onProgress: (percent) => progress.push(percent) },
  );
  const { data, info } = await sharp(drawn).removeAlpha().raw().toBuffer({ resolveWithObject: true });
  const at = (x: number, y: number) => [...data.subarray((y * info.width + x) * 3, (y * info.width + x) * 3 + 3)];
  return { width: info.width, height: info.height, at, progress };
}

/** The colour tells the time: red rises by four with each second, blue falls. */
const clock = (seconds: number) => [40 + 8 * seconds, 128, 240 - 8 * seconds];
function clockFilm(name: string, seconds: number, size: string, rate: number, ...more: string[]): Promise<string> {
  const colours = Array.from({ length: seconds }, (_, n) => {
    const hex = Buffer.from(clock(n)).toString('hex');
    return `color=0x${hex}:s=${size}:r=${rate}:d=1[c${n}]`;
  });
  const all = colours.map((_, n) => `[c${n}]`).join('');
  const graph = `${colours.join(';')};${all}concat=n=${seconds},format=yuv420p`;
  return studio.make(name, '-f', 'lavfi', '-i', graph, ...H264, ...more);
}

/** Returns the colour of the tile at a time. */
function tileAt(
  moment: number,
  sheet: Awaited<ReturnType<typeof sheetOf>>,
  tile: readonly [number, number],
  seconds: number,
) {
  const plan = planStoryboard({ width: tile[0], height: tile[1], seconds }, tile[0]);
  const index = Math.min(plan.count - 1, Math.floor(moment / plan.interval));
  const column = index % plan.columns;
  const row = Math.floor(index / plan.columns);
  return sheet.at(Math.floor((column + 0.5) * tile[0]), Math.floor((row + 0.5) * tile[1]));
}

describe('a storyboard', () => {
  test('shows the key frame at or before the time of each tile, in reading order', async () => {
    const film = await clockFilm('clock.mp4', 24, '64x36', 5, '-g', '10');
    const sheet = await sheetOf(film, { width: 32 });
    expect([sheet.width, sheet.height]).toEqual([320, 3 * 18]);
    for (let second = 0; second < 24; second++) {
      // There is a key frame every other second.
      const expected = clock(second - (second % 2));
      expect([second, isClose(tileAt(second + 0.5, sheet, [32, 18], 24), expected)]).toEqual([second, true]);
    }
    // The last row has four tiles; the rest of it is black.
    expect(sheet.at(319, 53)).toEqual([0, 0, 0]);
    expect(sheet.progress.at(-1)).toBe(100);
  });

  test('decodes a short video with few key frames as a whole', async () => {
    const film = await clockFilm('few.mp4', 6, '64x36', 5, '-g', '1000');
    const sheet = await sheetOf(film, { width: 32 });
    for (let second = 0; second < 6; second++) {
      expect([second, isClose(tileAt(second + 0.5, sheet, [32, 18], 6), clock(second))]).toEqual([second, true]);
    }
  });

  test('of a long video with one key frame shows that one in every tile', async () => {
    const film = await clockFilm('one.mp4', 31, '32x18', 2, '-g', '1000');
    const sheet = await sheetOf(film, { width: 16 });
    expect([sheet.width, sheet.height]).toEqual([160, 36]);
    expect(isClose(sheet.at(155, 22), clock(0))).toBe(true);
  });

  test('of a video without a known length has tiles for all of it', async () => {
    const film = await clockFilm('live.mp4', 5, '32x18', 5);
    const live = await studio.make('live.webm', '-i', film, '-c:v', 'libvpx', '-b:v', '1M', '-f', 'webm', '-live', '1');
    const sheet = await sheetOf(live, { width: 32 });
    expect([sheet.width, sheet.height]).toEqual([160, 18]);
    // The last frame is at 4.8 s, so the last of five tiles begins at 3.84.
    expect(isClose(tileAt(4.5, sheet, [32, 18], 4.8), clock(3))).toBe(true);
  });

  test('of a turned video is upright', async () => {
    const plain = await clockFilm('plain.mp4', 2, '64x36', 5);
    const turned = await studio.make('turned.mp4', '-i', plain, '-metadata:s:v', 'rotate=90', '-c', 'copy');
    const sheet = await sheetOf(turned, { width: 36 });
    expect([sheet.width, sheet.height]).toEqual([72, 64]);
  });

  test.each([
    [{ width: 33, height: 19 }, [16, 9]],
    [{ width: 10, height: 1000 }, [2, 32]],
    [{ width: 2000, height: 10 }, [16, 2]],
  ])('of a video of %o has tiles of %o', (size, tile) => {
    expect(Object.values(planStoryboard({ ...size, seconds: 3 }, 16).tile)).toEqual(tile);
  });

  test('of a single frame is that frame, and HDR is SDR', async () => {
    const hdr = await makeHdr(studio, 'yuv420p10le', '162x92', 1);
    const sheet = await sheetOf(hdr);
    expect([sheet.width, sheet.height]).toEqual([160, 91]);
    expect(sheet.at(80, 45)[0]).toBeGreaterThan(150);
  });
});

test.each([
  [0, 1],
  [0.4, 1],
  [4.04, 4],
  [99.6, 100],
  [7200, 100],
])('a video of %d s has %d tiles', (seconds, tiles) => {
  const plan = planStoryboard({ width: 16, height: 9, seconds });
  expect([plan.count, plan.interval * plan.count]).toEqual([tiles, expect.closeTo(seconds, 6)]);
});

/** Coding changes colours by a little; those of neighbouring seconds differ by eight. */
function isClose(seen: readonly number[], expected: readonly number[]): boolean {
  return expected.every((value, channel) => Math.abs(value - (seen[channel] ?? 0)) <= 3);
}
