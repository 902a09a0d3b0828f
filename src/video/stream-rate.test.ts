import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { H264, openStudio, type Studio } from '../../test/video-samples.ts';

let studio: Studio;
beforeAll(async () => {
  studio = await openStudio();
});
afterAll(() => studio.close());

const film = (rate: string, ...more: string[]) =>
  studio.make(`${rate.replace('/', '-')}.mp4`, '-f', 'lavfi', '-i', `testsrc2=s=64x36:r=${rate}:d=2`, ...more, ...H264);

describe('the frames of a rendition', () => {
  test.each([
    ['240', 120],
    ['120', 120],
    ['120000/1001', 120],
    ['60', 120],
    ['60000/1001', 120],
    ['50', 100],
  ])('are at most 60 a second of %s, evenly', async (rate, count) => {
    const input = await film(rate);
    const times = await studio.times(await studio.transcode(input, { format: 'cmaf' }));
    expect(Math.abs(times.length - count)).toBeLessThanOrEqual(1);
    const steps = times.slice(1).map((time, n) => time - (times[n] ?? 0));
    expect(Math.max(...steps)).toBeLessThan(0.0265);
  });

  test('are fewer where the URL says so, and all of them in a file', async () => {
    const input = await film('120');
    expect(await studio.times(await studio.transcode(input, { format: 'cmaf', frameRate: 30 }))).toHaveLength(60);
    expect(await studio.times(await studio.transcode(input, {}))).toHaveLength(240);
  });
});
