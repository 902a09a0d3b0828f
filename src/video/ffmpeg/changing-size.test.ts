import { copyFile, readFile, writeFile } from 'node:fs/promises';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  BLACK,
  BLUE,
  type DecodedFrame,
  H264,
  isNear,
  LIME,
  openStudio,
  RED,
  type Studio,
  settings,
  WHITE,
} from '../../../test/video-samples.ts';
import { openWays } from '../../../test/video-ways.ts';
import { makePreview } from '../preview.ts';
import { makeStoryboard } from '../storyboard.ts';

let studio: Studio;
beforeAll(async () => {
  studio = await openStudio();
});
afterAll(() => studio.close());

const COLOURS = [RED, LIME, BLUE, WHITE];
const NAMES = ['red', 'lime', 'blue', 'white'];
/** Sizes by second: a connection that gets worse, and a phone that is turned. */
const SIZES = ['160x90', '80x46', '160x90', '90x160'];

/** A second of each colour and size, in one stream. */
async function changing(name: string, extension: string, coding: readonly string[], sizes = SIZES): Promise<string> {
  const parts = await Promise.all(
    sizes.map((size, second) => {
      const colour = ['-f', 'lavfi', '-i', `color=${NAMES[second]}:s=${size}:r=10:d=1`];
      return studio.make(`${name}-${second}.${extension}`, ...colour, ...coding, '-g', '5');
    }),
  );
  if (extension === 'webm') {
    const list = studio.path(`${name}.txt`);
    await writeFile(list, parts.map((part) => `file '${part}'\n`).join(''));
    return studio.make(`${name}.webm`, '-f', 'concat', '-safe', '0', '-i', list, '-c', 'copy');
  }
  const stream = studio.path(`${name}.${extension}`);
  await writeFile(stream, Buffer.concat(await Promise.all(parts.map((part) => readFile(part)))));
  return studio.make(`${name}.mp4`, '-r', '10', '-i', stream, '-c', 'copy');
}

const MEMBERS: readonly [name: string, extension: string, coding: readonly string[]][] = [
  ['VP8', 'webm', ['-c:v', 'libvpx', '-b:v', '1M']],
  ['VP9', 'webm', ['-c:v', 'libvpx-vp9', '-cpu-used', '8']],
  ['H264', 'h264', [...H264, '-bf', '0']],
];

describe.each(MEMBERS)('a video in %s whose size changes', (name, extension, coding) => {
  let input: string;
  beforeAll(async () => {
    input = await changing(name, extension, coding);
  });

  test('has a storyboard in its order', async () => {
    const drawn = studio.path(`${name}.png`);
    const still = { ...settings, encodeStill: (order: { input: string }) => copyFile(order.input, drawn) };
    const job = { input, output: studio.path(`${name}-sheet`), options: { storyboard: true, width: 32 } };
    await makeStoryboard(studio.tools, still, job);
    const { data, info } = await sharp(drawn).removeAlpha().raw().toBuffer({ resolveWithObject: true });
    expect([info.width, info.height]).toEqual([128, 18]);
    const tiles = COLOURS.map((_, tile) => {
      const at = (9 * info.width + tile * 32 + 16) * 3;
      return [...data.subarray(at, at + 3)];
    });
    expect(tiles.map((tile, second) => isNear(tile, COLOURS[second] ?? []))).toEqual([true, true, true, true]);
  });

  test.each(['gif', 'webp'] as const)('loses nothing as %s', async (format) => {
    const output = studio.path(`${name}.${format}`);
    await makePreview(studio.tools, settings, { input, output, options: { animated: true, format } });
    const { delay = [], width, pageHeight = 0 } = await sharp(output, { animated: true }).metadata();
    expect([width, pageHeight]).toEqual([160, 90]);
    expect(delay.reduce((sum, one) => sum + one, 0) / 1000).toBeCloseTo(4, 0);
    const { data } = await sharp(output, { animated: true }).removeAlpha().raw().toBuffer({ resolveWithObject: true });
    const colourAt = (seconds: number) => {
      const page = delay.findIndex((_, n) => delay.slice(0, n + 1).reduce((sum, one) => sum + one, 0) > seconds * 1000);
      const at = ((page * 90 + 45) * 160 + 80) * 3;
      return [...data.subarray(at, at + 3)];
    };
    expect(COLOURS.map((colour, second) => isNear(colourAt(second + 0.5), colour))).toEqual([true, true, true, true]);
  });

  test.each([
    ['a transcode', {}, 40],
    ['a smaller transcode', { width: 80 }, 40],
    ['a part', { startOffset: 0.5, endOffset: 3.5 }, 30],
    ['a transcode of fewer frames', { frameRate: 5 }, 20],
    ['a rendition', { format: 'cmaf' }, 40],
    ['a blurred background', { width: 80, height: 80, crop: 'pad', background: { blur: 5 } }, 40],
  ] as const)('keeps every frame in %s', async (_what, options, count) => {
    const file = await studio.transcode(input, options);
    const times = await studio.times(file);
    const frames = await studio.frames(file);
    expect([times.length, frames.length]).toEqual([count, count]);
    expect(times.every((time, n) => n === 0 || time > (times[n - 1] ?? 0))).toBe(true);
    const start = 'startOffset' in options ? options.startOffset : 0;
    const seen = frames.map((frame, n) =>
      isNear(middleOf(frame), COLOURS[Math.floor((times[n] ?? 0) + start + 0.001)] ?? []),
    );
    expect(seen).not.toContain(false);
  });
});

test('a video of an odd size keeps every frame', async () => {
  const coding = ['-c:v', 'libvpx', '-b:v', '1M'];
  const input = await changing('odd', 'webm', coding, ['161x91', '81x45', '91x161', '161x91']);
  expect(await studio.frames(await studio.transcode(input, {}))).toHaveLength(40);
});

test.each(['transcode', 'WebP animation', 'storyboard'] as const)(
  'a %s keeps the shape of a turned phone',
  async (way) => {
    const input = await changing('turned', 'webm', ['-c:v', 'libvpx', '-b:v', '1M']);
    const ways = await openWays(studio);
    const options = way === 'storyboard' ? {} : { startOffset: 3, endOffset: 3.9 };
    const seen = await ways.see(input, way, options);
    const left = way === 'storyboard' ? 480 : 0;
    expect(isNear(seen.pixel(left + 80, 45), WHITE)).toBe(true);
    // 160 x 90 holds 51 x 90 of an upright frame.
    expect(isNear(seen.pixel(left + 46, 45), BLACK)).toBe(true);
    expect(isNear(seen.pixel(left + 62, 45), WHITE)).toBe(true);
    await ways.close();
  },
);

const middleOf = ({ width, height, at }: DecodedFrame) => at(width >> 1, height >> 1);
