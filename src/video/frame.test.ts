import { writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  BLUE,
  colourPerSecond,
  type DecodedFrame,
  H264,
  isNear,
  LIME,
  makeHdr,
  openStudio,
  RED,
  redLeftBlueRight,
  type Studio,
  tone,
  WHITE,
} from '../../test/video-samples.ts';
import { UndecodableVideo } from './ffmpeg/errors.ts';

let studio: Studio;
let mp4: string;
let webm: string;

beforeAll(async () => {
  studio = await openStudio();
  mp4 = await studio.make('seconds.mp4', ...colourPerSecond(), ...H264, '-g', '250');
  webm = await studio.make('seconds.webm', ...colourPerSecond(), '-c:v', 'libvpx-vp9', '-cpu-used', '8', '-g', '250');
});
afterAll(() => studio.close());

async function frameAt(input: string, time: number): Promise<DecodedFrame | undefined> {
  const output = studio.path('frame.png');
  await studio.extractFrame({ input, output, time });
  return (await studio.frames(output))[0];
}

describe('a single frame', () => {
  test.each([
    [0, RED],
    [0.99, LIME],
    [1, LIME],
    [2.5, BLUE],
    [3.96, WHITE],
  ])('at %d s is the first one from that time on', async (time, colour) => {
    expect(isNear((await frameAt(mp4, time))?.at(80, 45), colour)).toBe(true);
    expect(isNear((await frameAt(webm, time))?.at(80, 45), colour)).toBe(true);
  });

  test.each([3.99, 4, 5, 86_400])('at %d s, past the end, is the last one', async (time) => {
    expect(isNear((await frameAt(mp4, time))?.at(80, 45), WHITE)).toBe(true);
    expect(isNear((await frameAt(webm, time))?.at(80, 45), WHITE)).toBe(true);
  });

  test('past the video but within the audio is the last one', async () => {
    const long = await studio.make('long.mp4', ...colourPerSecond(), ...tone(9), ...H264, '-c:a', 'aac');
    expect(isNear((await frameAt(long, 7))?.at(80, 45), WHITE)).toBe(true);
  });

  test('of a WebM that does not know its length (as browsers record it)', async () => {
    const live = await studio.make('live.webm', '-i', webm, '-c', 'copy', '-f', 'webm', '-live', '1');
    expect(isNear((await frameAt(live, 2.5))?.at(80, 45), BLUE)).toBe(true);
    expect(isNear((await frameAt(live, 99))?.at(80, 45), WHITE)).toBe(true);
  });

  test('has the full displayed size: upright, odd sizes, square pixels', async () => {
    const odd = await studio.make('odd.mp4', ...redLeftBlueRight('161x91'), '-c:v', 'libx264', '-pix_fmt', 'yuv444p');
    const frame = await frameAt(odd, 0);
    expect([frame?.width, frame?.height]).toEqual([161, 91]);
    const turned = await studio.make('turned.mp4', '-i', odd, '-metadata:s:v', 'rotate=90', '-c', 'copy');
    const upright = await frameAt(turned, 0);
    expect([upright?.width, upright?.height]).toEqual([91, 161]);
    expect(isNear(upright?.at(45, 150), RED) && isNear(upright?.at(45, 10), BLUE)).toBe(true);
    const wide = await studio.make('sar.mp4', ...redLeftBlueRight('80x90'), '-vf', 'setsar=2', ...H264);
    const square = await frameAt(wide, 0);
    expect([square?.width, square?.height]).toEqual([160, 90]);
  });

  test('of HDR is tone-mapped, odd sizes too', async () => {
    const frame = await frameAt(await makeHdr(studio, 'yuv420p10le'), 0);
    expect(frame?.at(80, 45)[0]).toBeGreaterThan(145);
  });

  test('of a file that is no video is refused with a reason', async () => {
    await writeFile(studio.path('text.mp4'), 'This is no video, whatever its name says.');
    await expect(frameAt(studio.path('text.mp4'), 0)).rejects.toThrow(UndecodableVideo);
  });
});
