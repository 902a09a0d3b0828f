import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { H264, openStudio, type Studio } from '../../../test/video-samples.ts';
import { openWays, WAYS, type Ways } from '../../../test/video-ways.ts';
import { probeVideo } from '../source/probe.ts';

let studio: Studio;
let ways: Ways;
beforeAll(async () => {
  studio = await openStudio();
  ways = await openWays(studio);
});
afterAll(() => Promise.all([studio.close(), ways.close()]));

/** A white bar that moves by its own width with each field. */
const bar = (size: string) => [...['-f', 'lavfi', '-i', `color=black:s=${size}:r=50:d=1,format=yuv420p`]];
const moving = "geq=lum='if(lt(mod(X-N*16+1600,80),16),235,16)':cb=128:cr=128";
const woven = (order: 'top' | 'bottom') => ['-vf', `${moving},tinterlace=interleave_${order}`];
const fields = (order: 'top' | 'bottom') => ['-flags', '+ilme+ildct', '-top', order === 'top' ? '1' : '0'];

const MEMBERS: readonly [name: string, file: string, order: 'top' | 'bottom', coding: readonly string[]][] = [
  ['H.264, top first', 'top.mp4', 'top', [...H264, '-x264-params', 'tff=1', '-qp', '4']],
  ['H.264, bottom first', 'bottom.mov', 'bottom', [...H264, '-x264-params', 'bff=1', '-qp', '4']],
  ['MPEG-4', 'mpeg4.mp4', 'top', ['-c:v', 'mpeg4', '-q:v', '1', '-flags', '+ilme+ildct', '-top', '1']],
  ['MPEG-2', 'mpeg2.mov', 'top', ['-c:v', 'mpeg2video', '-q:v', '1', ...fields('top')]],
  ['ProRes', 'prores.mov', 'bottom', ['-c:v', 'prores_ks', ...fields('bottom')]],
  ['PNG in QuickTime', 'png.mov', 'top', ['-c:v', 'png', '-field_order', 'tt']],
];

describe.each(MEMBERS)('an interlaced video in %s', (_name, file, order, coding) => {
  let input: string;
  beforeAll(async () => {
    input = await studio.make(file, ...bar('160x96'), ...woven(order), ...coding);
  });

  test.each(WAYS)('has no combs in a %s', async (way) => {
    const [stored] = await studio.frames(input);
    if (!stored) throw new Error('The video has no frame.');
    const before = combs({ width: stored.width, height: stored.height, pixel: stored.at });
    const after = combs(await ways.see(input, way));
    expect(before).toBeGreaterThan(20);
    expect(after).toBeLessThan(before / 8);
  });

  test('keeps its frames and their times', async () => {
    const times = await studio.times(input);
    const output = await studio.transcode(input, { width: 80 });
    expect((await studio.times(output)).map((time) => time.toFixed(2))).toEqual(times.map((time) => time.toFixed(2)));
  });
});

test('a progressive video is not softened', async () => {
  const input = await studio.make('progressive.mp4', ...bar('160x96'), '-vf', moving, ...H264);
  expect((await probeVideo(studio.tools, input)).fieldOrder).toBeUndefined();
  expect(await studio.times(await studio.transcode(input, {}))).toEqual(await studio.times(input));
});

/** Measures the difference of rows from the mean of their neighbours, 0 to 255. */
function combs({
  width,
  height,
  pixel,
}: {
  width: number;
  height: number;
  pixel(x: number, y: number): readonly number[];
}) {
  let sum = 0;
  const grey = (x: number, y: number) => pixel(x, y)[1] ?? 0;
  for (let y = 1; y < height - 1; y++) {
    for (let x = 0; x < width; x++) sum += Math.abs(grey(x, y) - (grey(x, y - 1) + grey(x, y + 1)) / 2);
  }
  return sum / (width * (height - 2));
}
