import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { H264, openStudio, type Studio } from '../../../test/video-samples.ts';
import { runFfprobe } from './run.ts';

let studio: Studio;
beforeAll(async () => {
  studio = await openStudio();
});
afterAll(() => studio.close());

/** True if the frames of a rendition are stored in display order. @param frames input and filters of ffmpeg */
async function isInOrder(name: string, frames: readonly string[], frameRate?: number): Promise<boolean> {
  const film = await studio.make(`${name}.mp4`, '-f', 'lavfi', '-i', ...frames, '-fps_mode', 'vfr', ...H264);
  const rendition = await studio.transcode(film, { height: 90, format: 'cmaf', ...(frameRate && { frameRate }) });
  const show = ['-select_streams', 'v:0', '-show_entries', 'packet=pts', '-of', 'csv=p=0'];
  const times = (await runFfprobe(studio.tools, ['-v', 'error', ...show, rendition]))
    .trim()
    .split('\n')
    .map(Number.parseFloat);
  expect(times.length).toBeGreaterThan(3);
  return times.every((time, n) => n === 0 || time > (times[n - 1] as number));
}

describe('video renditions of a stream', () => {
  test.each([
    ['one a second', ['testsrc2=s=160x90:r=1:d=6'], undefined],
    ['one a second of more', ['testsrc2=s=160x90:r=10:d=6'], 1],
    ['some for long', ['testsrc2=s=160x90:r=10:d=6', '-vf', "select='lt(t,1)+gt(t,4)'"], undefined],
  ])(
    'that are shown for long are decoded in their order, or players in browsers lose some: %s',
    async (name, frames, rate) => {
      expect(await isInOrder(name.replaceAll(' ', '-'), frames, rate)).toBe(true);
    },
  );

  test('that come regularly refer to later ones, which takes fewer bytes', async () => {
    expect(await isInOrder('regular', ['testsrc2=s=160x90:r=25:d=2'])).toBe(false);
  });
});
