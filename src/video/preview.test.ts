import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  BLUE,
  colourPerSecond,
  H264,
  isNear,
  LIME,
  makeHdr,
  openStudio,
  RED,
  type Studio,
  settings,
  WHITE,
} from '../../test/video-samples.ts';
import { ImpossibleTranscode } from './limits.ts';
import { makePreview } from './preview.ts';
import type { VideoOptions } from './steps/index.ts';

const COLOURS = [RED, LIME, BLUE, WHITE];
const FORMATS = ['webp', 'gif'] as const;

let studio: Studio;
let film: string;
let count = 0;
beforeAll(async () => {
  studio = await openStudio();
  film = await studio.make('film.mp4', ...colourPerSecond(), ...H264);
});
afterAll(() => studio.close());

async function previewOf(input: string, options: VideoOptions): Promise<string> {
  const output = studio.path(`preview-${++count}`);
  await makePreview(studio.tools, settings, { input, output, options: { animated: true, ...options } });
  return output;
}

/** Reads the duration of each image in milliseconds, and a colour of the first. */
async function shown(file: string) {
  // If all images are equal, only one remains.
  const { height, pageHeight = height, width, delay = [0], loop } = await sharp(file, { animated: true }).metadata();
  const { data, info } = await sharp(file, { animated: true })
    .removeAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true });
  const colourAt = (index: number) => {
    const at = ((index * pageHeight + (pageHeight >> 1)) * info.width + (info.width >> 1)) * 3;
    return [data[at], data[at + 1], data[at + 2]] as [number, number, number];
  };
  return { size: [width, pageHeight], loop, delay, colours: delay.map((_, index) => colourAt(index)) };
}

/** Returns the colour shown at a time. */
function colourAt(seconds: number, { delay, colours }: Awaited<ReturnType<typeof shown>>) {
  const index = delay.findIndex((_, n) => sum(delay.slice(0, n + 1)) > seconds * 1000);
  return colours[index] ?? [0, 0, 0];
}

const sum = (values: readonly number[]) => values.reduce((all, value) => all + value, 0);

describe.each(FORMATS)('a preview as %s', (format) => {
  test('shows each moment in its colours, at most 15 times a second, for ever', async () => {
    const moving = await shown(await previewOf(film, { format }));
    expect([moving.size, moving.loop]).toEqual([[160, 90], 0]);
    expect(sum(moving.delay) / 1000).toBeCloseTo(4, 0);
    expect(moving.delay.length).toBeLessThanOrEqual(60);
    for (const [second, colour] of COLOURS.entries()) {
      expect([second, isNear(colourAt(second + 0.5, moving), colour)]).toEqual([second, true]);
    }
  });

  test('goes from its start to its end', async () => {
    const moving = await shown(await previewOf(film, { format, startOffset: 1, endOffset: 2.5 }));
    expect(sum(moving.delay) / 1000).toBeCloseTo(1.5, 0);
    expect([isNear(colourAt(0.5, moving), LIME), isNear(colourAt(1.2, moving), BLUE)]).toEqual([true, true]);
  });

  test('has bars that are a blurred copy of it', async () => {
    const bars = { width: 60, height: 60, crop: 'pad', background: { blur: 20 } } as const;
    const file = await previewOf(film, { format, ...bars });
    const { data } = await sharp(file)
      .extract({ left: 30, top: 3, width: 1, height: 1 })
      .removeAlpha()
      .raw()
      .toBuffer({ resolveWithObject: true });
    expect(isNear([...data], RED)).toBe(true);
  });

  test('has the size of its box', async () => {
    const { size } = await shown(await previewOf(film, { format, width: 60, height: 60, crop: 'pad' }));
    expect(size).toEqual([60, 60]);
  });
});

test('a preview lasts ten seconds at most', async () => {
  const long = await studio.make('long.mp4', '-f', 'lavfi', '-i', 'testsrc2=s=64x36:r=30:d=13', ...H264);
  const { delay } = await shown(await previewOf(long, { format: 'webp' }));
  expect(sum(delay) / 1000).toBeCloseTo(10, 0);
  expect(delay.length).toBeLessThanOrEqual(150);
});

test('a preview has as few images as requested', async () => {
  const { delay } = await shown(await previewOf(film, { format: 'gif', frameRate: 5 }));
  expect(delay).toEqual(Array(20).fill(200));
});

test('a preview has no more images than its video', async () => {
  const slow = await studio.make('slow.mp4', '-f', 'lavfi', '-i', 'testsrc2=s=64x36:r=4:d=2', ...H264);
  const { delay } = await shown(await previewOf(slow, { format: 'webp' }));
  expect(delay).toHaveLength(8);
});

test.each([
  ['1600x900', {}, [640, 360]],
  ['360x1280', {}, [180, 640]],
  ['90x300', { width: 400 }, [90, 300]],
  ['120x60', { width: 400 }, [400, 200]],
] as const)('a preview of %s with %o is no larger than 640 on either side', async (size, box, expected) => {
  const file = await studio.make(`${size}.mp4`, '-f', 'lavfi', '-i', `testsrc2=s=${size}:r=2:d=1`, ...H264);
  const moving = await shown(await previewOf(file, { format: 'webp', ...box }));
  expect(moving.size).toEqual(expected);
});

test('a turned video comes out upright', async () => {
  const plain = await studio.make('plain.mp4', ...colourPerSecond('80x40', 2), ...H264);
  const turned = await studio.make('turned.mp4', '-i', plain, '-metadata:s:v', 'rotate=90', '-c', 'copy');
  expect((await shown(await previewOf(turned, { format: 'webp' }))).size).toEqual([40, 80]);
});

test('HDR comes out as SDR', async () => {
  const { colours } = await shown(await previewOf(await makeHdr(studio), { format: 'webp' }));
  const [red = 0] = colours[0] ?? [];
  expect(red).toBeGreaterThan(150);
});

test('a start past the end is said', async () => {
  await expect(previewOf(film, { format: 'gif', startOffset: 9 })).rejects.toThrow(ImpossibleTranscode);
});
